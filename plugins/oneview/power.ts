// The power interface `oneview`. A server that a OneView user has taken is never switched.
import {
  definePower,
  Fault,
  fault,
  type JsonObject,
  type PowerState,
  type PowerTarget,
  resultOf,
  type Task,
} from '#plugin-api';
import { applianceUrl, converse } from './appliance.ts';
import { properties, readServer, refuseTaken, serverHardwareOf } from './server-hardware.ts';
import { takenWork } from './taken-servers.ts';

const firstPauseMilliseconds = 1000;
const longestPauseMilliseconds = 10_000;

interface Press {
  readonly powerState: 'On' | 'Off';
  readonly powerControl: 'MomentaryPress' | 'PressAndHold';
}

const on: Press = { powerState: 'On', powerControl: 'MomentaryPress' };
const off: Press = { powerState: 'Off', powerControl: 'PressAndHold' };
const softOff: Press = { powerState: 'Off', powerControl: 'MomentaryPress' };

const presses: Readonly<Record<PowerTarget, readonly Press[]>> = {
  'power on': [on],
  'power off': [off],
  rebooting: [off, on],
  'soft rebooting': [softOff, on],
  'soft power off': [softOff],
};

const states: Readonly<Record<string, PowerState>> = {
  On: 'power on',
  Off: 'power off',
  PoweringOff: 'power on',
  PoweringOn: 'power off',
};

export const oneviewPower = definePower({
  properties,
  supportedTargets: ['power on', 'power off', 'rebooting', 'soft rebooting', 'soft power off'],
  supportsPowerSync: true,
  periodic: { taken: takenWork },
  validate(task) {
    serverHardwareOf(task.node);
    applianceUrl(task);
  },
  getPowerState: async (task) => stateIn(await readServer(task, 'Reading the power state')),
  async setPowerState(task, target, timeoutSeconds) {
    const until = task.clock.monotonic() + timeoutSeconds * 1000;
    for (const press of presses[target]) {
      const server = await readServer(task, 'Reading the power state');
      refuseTaken(server, task.node, target);
      if (stateIn(server) !== stateAfter(press)) await change(task, press);
      await reached(task, press, until);
    }
  },
});

const stateIn = ({ powerState }: JsonObject): PowerState =>
  (typeof powerState === 'string' ? states[powerState] : undefined) ?? 'error';

const stateAfter = ({ powerState }: Press): PowerState => states[powerState] ?? 'error';

/** OneView refuses to switch a server to the state that it is already in. */
async function change(task: Task, press: Press): Promise<void> {
  try {
    await converse(task, `Power ${press.powerState}`, (appliance) =>
      appliance.put(`${serverHardwareOf(task.node)}/powerState`, press),
    );
  } catch (error) {
    const isRefusal = error instanceof Fault && error.code === 'BmcRefused';
    const isThere = isRefusal && (await oneviewPower.getPowerState(task)) === stateAfter(press);
    if (!isThere) throw error;
  }
}

async function reached(task: Task, press: Press, until: number): Promise<void> {
  const { clock } = task;
  const wanted = stateAfter(press);
  for (let pause = firstPauseMilliseconds; ; pause = Math.min(pause * 2, longestPauseMilliseconds)) {
    const state = await oneviewPower.getPowerState(task);
    if (state === wanted) return;
    if (clock.monotonic() >= until)
      throw fault('PowerStateFailure', {
        target: resultOf(press.powerState === 'On' ? 'power on' : 'power off'),
        node: task.node.uuid,
        reason: `OneView accepted ${press.powerControl}, and the last reading was: ${state}`,
      });
    await clock.sleep(Math.max(0, Math.min(pause, until - clock.monotonic())));
  }
}
