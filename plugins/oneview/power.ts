// The power interface `oneview`. It never powers on or off a server that a OneView user has taken.
import {
  definePower,
  fault,
  type JsonObject,
  type PowerState,
  type PowerTarget,
  reachPowerState,
  type Task,
} from '#plugin-api';
import { askAppliance, applianceUrl, isRefusal, isSilence } from './appliance/appliance.ts';
import { applyBootDevice } from './boot-device.ts';
import { ownershipWork } from './periodic.ts';
import { oneviewProperties, serverHardwareOf, wantedOf } from './server/node-fields.ts';
import { readServer, refuseTaken } from './server/server-hardware.ts';
import { validateFreeServer } from './server/validate-server.ts';

const TRIES = 3;

interface Press {
  readonly powerState: 'On' | 'Off';
  readonly powerControl: 'MomentaryPress' | 'PressAndHold';
}

const on: Press = { powerState: 'On', powerControl: 'MomentaryPress' };
const off: Press = { powerState: 'Off', powerControl: 'PressAndHold' };
const softOff: Press = { powerState: 'Off', powerControl: 'MomentaryPress' };

// a reboot powers the server off and on instead of resetting it: its boot order can only be changed while it is off
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
  Resetting: 'power on',
};

export const oneviewPower = definePower({
  properties: oneviewProperties,
  supportedTargets: ['power on', 'power off', 'rebooting', 'soft rebooting', 'soft power off'],
  supportsPowerSync: true,
  periodic: ownershipWork,
  validate(task) {
    wantedOf(task.node);
    applianceUrl(task);
  },
  validateMachine: validateFreeServer,
  getPowerState: async (task) => stateIn(await readServer(task, 'Reading the power state')),
  async setPowerState(task, target, timeoutSeconds) {
    for (const press of presses[target]) {
      const server = await readServer(task, 'Reading the power state');
      await refuseTaken(task, server, target);
      if (stateIn(server) === stateAfter(press)) continue;
      if (press !== on && task.node.disable_power_off)
        throw fault('PowerStateFailure', {
          target,
          node: task.node.uuid,
          reason: 'a server behind OneView is rebooted by powering it off, which disable_power_off forbids',
        });
      if (press === on) await applyBootDevice(task);
      await change(task, press, deadlineIn(task, timeoutSeconds));
      await reachPowerState(task, {
        wanted: stateAfter(press),
        action: `${press.powerControl}, which OneView accepted,`,
        isSoft: press === softOff,
        // the appliance may have been busy for long before it accepted the request
        until: deadlineIn(task, timeoutSeconds),
        read: () => oneviewPower.getPowerState(task),
      });
    }
  },
});

const stateIn = ({ powerState }: JsonObject): PowerState =>
  (typeof powerState === 'string' ? states[powerState] : undefined) ?? 'error';

const stateAfter = ({ powerState }: Press) => (powerState === 'On' ? 'power on' : 'power off');

const deadlineIn = ({ clock }: Task, seconds: number): number => clock.monotonic() + seconds * 1000;

/**
 * Sends the power request, and repeats it if there is no answer, or the appliance is busy, but not after `until`. OneView refuses to
 * switch a server to the state that it is already in; this refusal counts as success.
 */
async function change(task: Task, press: Press, until: number): Promise<void> {
  const question = {
    method: 'PUT',
    url: `${serverHardwareOf(task.node)}/powerState`,
    body: JSON.stringify(press),
  };
  for (let tries = 1; ; tries += 1) {
    try {
      await askAppliance(task, `Power ${press.powerState}`, question, until);
      return;
    } catch (error) {
      if (!isRefusal(error) && !isSilence(error)) throw error;
      const state = await oneviewPower.getPowerState(task);
      if (state === stateAfter(press)) return;
      if (isRefusal(error) || tries === TRIES) throw error;
    }
  }
}
