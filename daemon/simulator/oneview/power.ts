// Switches the servers of a simulated OneView appliance on and off, and describes them.
import type { Clock } from '../../lib/clock.ts';
import { type JsonObject } from '../../model/json.ts';
import type { Reply } from '../server.ts';
import { firstOf, type Request } from './profiles.ts';
import { refusal } from './refusals.ts';
import { type ApplianceState, type Server, textIn } from './state.ts';
import type { Work } from './work.ts';

export interface PowerHabits {
  readonly powerSeconds: number;
  /** Whether the operating systems shut down when asked to. */
  readonly obeysMomentaryPress: boolean;
}

export class Power {
  readonly #state: ApplianceState;
  readonly #work: Work;
  readonly #habits: PowerHabits;
  readonly #clock: Clock;

  constructor(state: ApplianceState, work: Work, habits: PowerHabits, clock: Clock) {
    this.#state = state;
    this.#work = work;
    this.#habits = habits;
    this.#clock = clock;
  }

  /** Returns the server's power state, which is first set to Off if its machine has switched itself off. */
  stateOf(server: Server): Server['powerState'] {
    if (server.machine?.powerState === 'Off' && server.powerState === 'On') server.powerState = 'Off';
    return server.powerState;
  }

  press(server: Server, { body, user, fault }: Request): Reply {
    const wanted = textIn(body, 'powerState');
    const control = textIn(body, 'powerControl');
    if (server.lock !== undefined)
      return refusal(409, 'POWER_CONTROL_NOT_ALLOWED', 'A task works on the server.');
    const code = requestError(this.stateOf(server), wanted, control);
    if (code !== undefined) return refusal(400, code);
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
  set(server: Server, wanted: 'On' | 'Off'): void {
    server.powerState = wanted;
    if (wanted === 'Off') server.machine?.switchOff();
    else {
      const profile = this.#state.profiles.get(server.profile ?? '');
      const device = server.bootOnce ?? firstOf(profile);
      server.bootOnce = undefined;
      server.machine?.switchOn(device);
    }
  }

  describe(server: Server): JsonObject {
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

function requestError(state: Server['powerState'], wanted: string, control: string): string | undefined {
  if (wanted !== 'On' && wanted !== 'Off') return 'INVALID_POWER_CONTROL_REQUEST';
  if (state === 'Off' && (control === 'ColdBoot' || control === 'Reset'))
    return `INVALID_POWER_CONTROL_REQUEST_POWER_${control.toUpperCase()}_OFF`;
  return state === wanted ? 'INVALID_POWER_CONTROL_REQUEST' : undefined;
}
