// Operator actions on a node other than provisioning: power, boot device, maintenance, validation.
import { writeFailure } from '../db/write-failure.ts';
import type { BootDevice } from '../model/boot-devices.ts';
import { fault, reasonOf } from '../model/faults.ts';
import { interfaceTypes } from '../model/interface-types.ts';
import type { PowerTarget } from '../model/power-states.ts';
import { permits } from '../model/provision-states.ts';
import type { BootDeviceSetting } from '../plugin-api/index.ts';
import { changePower, refuseForbiddenOff } from './change-power.ts';
import { deployPlan } from './phases/deploy.ts';
import { nodeOrFault, startTask, withTask } from './run-task.ts';
import type { Caller, Services } from './services.ts';
import { requestedDeploySteps } from './steps/flow-record.ts';
import { NodeTask } from './task.ts';

/** Starts a power action: `target_power_state` is set at once, the outcome when the machine has acted. */
export function setPower(
  services: Services,
  caller: Caller,
  uuid: string,
  { target, timeoutSeconds }: { readonly target: PowerTarget; readonly timeoutSeconds: number | undefined },
): Promise<void> {
  return startTask(services, caller, uuid, async (task) => {
    if (permits(task.node.provision_state, 'powerLocked') === true) {
      throw fault('InvalidStateRequested', { action: target, node: uuid, state: task.node.provision_state });
    }
    const { power } = task.driver;
    await power.validate(task);
    if (!power.supportedTargets.includes(target)) {
      throw fault('InvalidParameter', {
        name: 'target',
        reason: `the ${task.node.power_interface} power interface does not support "${target}". Supported: ${power.supportedTargets.join(', ')}`,
      });
    }
    refuseForbiddenOff(task.node, target);
    return async (running) => {
      try {
        await changePower(running, target, timeoutSeconds);
      } catch (error) {
        // `changePower` has recorded any other failure
        if (writeFailure(error) !== undefined) throw error;
      }
    };
  });
}

export function setMaintenance(
  services: Services,
  caller: Caller,
  uuid: string,
  reason: string | null,
): Promise<void> {
  return withTask(services, caller, uuid, (task) =>
    task.store({ maintenance: true, maintenance_reason: reason }),
  );
}

export function clearMaintenance(services: Services, caller: Caller, uuid: string): Promise<void> {
  return withTask(services, caller, uuid, (task) =>
    task.store({ maintenance: false, maintenance_reason: null, fault: null }),
  );
}

export function supportedBootDevices(
  services: Services,
  caller: Caller,
  uuid: string,
): readonly BootDevice[] {
  const task = new NodeTask(services, nodeOrFault(services, uuid), caller);
  return task.driver.management.supportedBootDevices(task);
}

export function getBootDevice(services: Services, caller: Caller, uuid: string): Promise<BootDeviceSetting> {
  return withTask(services, caller, uuid, async (task) => {
    await task.driver.management.validate(task);
    return task.driver.management.getBootDevice(task);
  });
}

export function setBootDevice(
  services: Services,
  caller: Caller,
  uuid: string,
  { device, persistent }: { readonly device: BootDevice; readonly persistent: boolean },
): Promise<void> {
  return withTask(services, caller, uuid, async (task) => {
    const { management } = task.driver;
    await management.validate(task);
    const supported = management.supportedBootDevices(task);
    if (!supported.includes(device)) {
      throw fault('InvalidParameter', {
        name: 'boot_device',
        reason: `the ${task.node.management_interface} management interface does not support ${device}. Supported: ${supported.join(', ')}`,
      });
    }
    await management.setBootDevice(task, device, persistent);
  });
}

export type Validation = { readonly result: true } | { readonly result: false; readonly reason: string };

/** Validates the node's record with each interface except vendor. Takes no lock. */
export async function validateNode(
  services: Services,
  caller: Caller,
  uuid: string,
): Promise<Readonly<Record<string, Validation>>> {
  const task = new NodeTask(services, nodeOrFault(services, uuid), caller);
  const results: Record<string, Validation> = {};
  for (const type of interfaceTypes.filter((kind) => kind !== 'vendor')) {
    const check = async () => {
      await task.driver[type].validate(task);
      // includes the instance's traits and their deploy templates
      if (type === 'deploy') deployPlan(task, requestedDeploySteps(task.node));
    };
    results[type] = await verdict(check);
  }
  return results;
}

async function verdict(check: () => Promise<void>): Promise<Validation> {
  try {
    await check();
    return { result: true };
  } catch (error) {
    return { result: false, reason: reasonOf(error) };
  }
}
