// The task as plugins see it: what #plugin-api promises, made of the parts of the conductor.
import { parseStationMac } from '../lib/mac.ts';
import type { BootServices, DriverChanges, Ramdisk, Task } from '../plugin-api/index.ts';
import { changePower } from './hardware/change-power.ts';
import { ramdiskParameters } from './ramdisk/ramdisk-parameters.ts';
import { saveRamdiskLogs } from './ramdisk/ramdisk-logs.ts';
import { addPort } from './records/add-port.ts';
import { isFastTrack, keepsAgent } from './tasks/fast-track.ts';
import { taskClock } from './tasks/task-clock.ts';
import type { NodeTask } from './tasks/task.ts';

/** The host of the plugins leases the result to one call at a time, so no plugin holds the object itself. */
export function pluginTask(task: NodeTask): Task {
  const { services, log } = task;
  return {
    get node() {
      return task.node;
    },
    get ports() {
      return task.ports;
    },
    get driver() {
      return task.driver;
    },
    log,
    signal: task.signal,
    configuration: services.sections,
    clock: taskClock(services),
    ramdisk: ramdiskOf(task),
    boot: bootOf(task),
    update: async (changes) => task.store(onlyDrivers(changes)),
    addPorts: async (addresses) => addPorts(task, addresses),
    setPower: (target) => changePower(task, target),
    bmc: (address, options, converse) =>
      services.bmcs.converse(
        address,
        { ...options, urgent: task.caller !== null, signal: task.signal, node: task.node.uuid },
        converse,
      ),
  };
}

function ramdiskOf(task: NodeTask): Ramdisk {
  const { services } = task;
  return {
    get agent() {
      return task.agent;
    },
    parameters: ramdiskParameters(services.config),
    get isRunning() {
      return isFastTrack(services, task.node);
    },
    get staysRunning() {
      return keepsAgent(services, task.node);
    },
    saveLogs: (label, failed) => saveRamdiskLogs(task, label, failed),
  };
}

const bootOf = (task: NodeTask): BootServices => ({
  get dhcp() {
    return task.dhcp;
  },
});

const driverFields: Readonly<Record<keyof DriverChanges, true>> = {
  boot_mode: true,
  driver_internal_info: true,
  health: true,
  instance_info: true,
  properties: true,
  raid_config: true,
  secure_boot: true,
};

/** Returns the changes. Throws when they name a field that only the conductor changes. */
function onlyDrivers(changes: DriverChanges): DriverChanges {
  const other = Object.keys(changes).find((field) => !Object.hasOwn(driverFields, field));
  if (other === undefined) return changes;
  throw new Error(`task.update cannot change ${other}. It changes: ${Object.keys(driverFields).join(', ')}`);
}

function addPorts(task: NodeTask, addresses: readonly string[]): void {
  for (const text of addresses) {
    const address = parseStationMac(text);
    if (address === undefined)
      task.log.warn({ address: text }, 'not the MAC address of a single machine: no port created');
    else addPort(task, { address });
  }
}
