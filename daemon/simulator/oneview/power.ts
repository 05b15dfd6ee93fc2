// Switches the servers of a simulated OneView appliance on and off, and describes them.
import type { Clock } from '../../lib/clock.ts';
import { type JsonObject } from '../../model/json.ts';
import type { ServedReply } from '../server.ts';
import { firstOf, type ProfileRequest } from './profiles.ts';
import { applianceRefusal } from './refusals.ts';
import { type ApplianceState, type ApplianceServer, textField } from './state.ts';
import type { ApplianceWork } from './work.ts';

export interface PowerHabits {
  readonly powerSeconds: number;
  /** Whether the operating systems shut down when asked to. */
  readonly obeysMomentaryPress: boolean;
}

export class Power {
  readonly #state: ApplianceState;
  readonly #work: ApplianceWork;
  readonly #habits: PowerHabits;
  readonly #clock: Clock;

  constructor(state: ApplianceState, work: ApplianceWork, habits: PowerHabits, clock: Clock) {
    this.#state = state;
    this.#work = work;
    this.#habits = habits;
    this.#clock = clock;
  }

  /** Returns the server's power state, which is first set to Off if its machine has switched itself off. */
  stateOf(server: ApplianceServer): ApplianceServer['powerState'] {
    if (server.machine?.powerState === 'Off' && server.powerState === 'On') server.powerState = 'Off';
    return server.powerState;
  }

  press(server: ApplianceServer, { body, user, fault }: ProfileRequest): ServedReply {
    const wanted = textField(body, 'powerState');
    const control = textField(body, 'powerControl');
    if (server.lock !== undefined)
      return applianceRefusal(409, 'POWER_CONTROL_NOT_ALLOWED', 'A task works on the server.');
    const code = requestError(this.stateOf(server), wanted, control);
    if (code !== undefined) return applianceRefusal(400, code);
    const isIgnored = wanted === 'Off' && control === 'MomentaryPress' && !this.#habits.obeysMomentaryPress;
    const job = {
      name: `Power ${wanted.toLowerCase()}`,
      owner: user,
      seconds: this.#habits.powerSeconds,
      begin: () => {
        if (!isIgnored) server.powerState = wanted === 'On' ? 'PoweringOn' : 'PoweringOff';
      },
      end: () => {
        if (!isIgnored) this.set(server, wanted === 'On' ? 'On' : 'Off');
      },
    };
    return this.#work.start(job, fault);
  }

  /** Switches the server on or off, at once and without a task. */
  set(server: ApplianceServer, wanted: 'On' | 'Off'): void {
    server.powerState = wanted;
    if (wanted === 'Off') server.machine?.switchOff();
    else {
      const profile = this.#state.profiles.get(server.profile ?? '');
      const device = server.bootOnce ?? firstOf(profile);
      server.bootOnce = undefined;
      server.machine?.switchOn(device);
    }
  }

  describe(server: ApplianceServer): JsonObject {
    return {
      type: 'server-hardware-4',
      category: 'server-hardware',
      name: server.name,
      uri: server.uri,
      uuid: server.uri.split('/').at(-1) ?? '',
      state: server.state,
      stateReason: 'NotApplicable',
      status: 'OK',
      powerState: this.stateOf(server),
      powerLock: false,
      refreshState: 'NotRefreshing',
      serverProfileUri: server.profile,
      serverHardwareTypeUri: server.type,
      serverGroupUri: server.group,
      model: 'ProLiant BL460c Gen9',
      mpModel: 'iLO4',
      memoryMb: 131_072,
      processorCount: 2,
      processorCoreCount: 10,
      portMap: server.portMap,
      modified: new Date(this.#clock.now()).toISOString(),
      eTag: String(this.#clock.now()),
    };
  }
}

function requestError(
  state: ApplianceServer['powerState'],
  wanted: string,
  control: string,
): string | undefined {
  if (wanted !== 'On' && wanted !== 'Off') return 'INVALID_POWER_CONTROL_REQUEST';
  if (state === 'Off' && (control === 'ColdBoot' || control === 'Reset'))
    return `INVALID_POWER_CONTROL_REQUEST_POWER_${control.toUpperCase()}_OFF`;
  return state === wanted ? 'INVALID_POWER_CONTROL_REQUEST' : undefined;
}
