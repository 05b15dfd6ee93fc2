// The task as plugins see it: implements the interface `Task` of #plugin-api with functions of the conductor.
import { randomUUID } from 'node:crypto';
import { parseStationMac } from '../lib/network/mac.ts';
import { reasonOf } from '../model/faults.ts';
import type { ProvisionVerb } from '../model/states/verbs.ts';
import type { BootServices, DriverChanges, Images, Ramdisk, Task } from '../plugin-api/index.ts';
import { provision, refuseUnfit } from './flows/provision.ts';
import { renewEventUrl } from './bmc-events/event-token.ts';
import { serveCd } from './boot/cd-boot.ts';
import { bootObstacle, serveBoot, withdrawBoot } from './boot/network-boot.ts';
import { inspectInstanceImage, preparedImage, prepareInstanceImage } from './images/instance-image.ts';
import { copyForStep } from './images/step-file.ts';
import { changePower } from './hardware/change-power.ts';
import { ramdiskParameters } from './ramdisk/ramdisk-parameters.ts';
import { saveRamdiskLogs } from './ramdisk/ramdisk-logs.ts';
import { addPort } from './records/ports/add-port.ts';
import { withoutMaintenance } from './records/maintenance.ts';
import { isAgentAlive, isFastTrack, keepsAgent } from './tasks/agent-state.ts';
import { taskClock } from './tasks/task-clock.ts';
import type { NodeTask } from './tasks/task.ts';

/** The plugin host wraps the result for each call, so that no plugin gets the object itself. */
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
    configDrive: {
      check: () => services.configDrives.check(task.node),
      image: () => services.configDrives.image(task.node, task.signal),
    },
    images: imagesOf(task),
    update: async (changes) => task.store(onlyDrivers(changes)),
    setMaintenance: async (reason) => setMaintenance(task, reason),
    clearMaintenance: async () => clearMaintenance(task),
    addNote: async (text) => task.recordInfo({ event: text, eventType: 'driver' }),
    requestProvision: async (verb, options) =>
      requestProvision(task, verb, options?.endsMaintenance === true),
    renewEventUrl: async () => renewEventUrl(task),
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
    get isAlive() {
      return isAgentAlive(services, task.node);
    },
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
  get obstacle() {
    return bootObstacle(task.services);
  },
  get dhcp() {
    return task.dhcp;
  },
  serve: (boot) => serveBoot(task, boot),
  serveCd: (cd) => serveCd(task, cd),
  withdraw: () => withdrawBoot(task),
});

const imagesOf = (task: NodeTask): Images => ({
  get prepared() {
    return preparedImage(task);
  },
  prepare: (image) => prepareInstanceImage(task, image),
  inspect: (image) => inspectInstanceImage(task, image),
  copyForStep: (source) => copyForStep(task, source),
});

const driverFields: Readonly<Record<keyof DriverChanges, true>> = {
  boot_mode: true,
  driver_info: true,
  driver_internal_info: true,
  health: true,
  instance_info: true,
  properties: true,
  raid_config: true,
  secure_boot: true,
};

/** Returns the changes. Throws when they contain a field that only the conductor may change. */
function onlyDrivers(changes: DriverChanges): DriverChanges {
  const other = Object.keys(changes).find((field) => !Object.hasOwn(driverFields, field));
  if (other === undefined) return changes;
  throw new Error(
    `task.update cannot change ${other}. It can change: ${Object.keys(driverFields).join(', ')}`,
  );
}

function addPorts(task: NodeTask, addresses: readonly string[]): void {
  for (const text of addresses) {
    const address = parseStationMac(text);
    if (address === undefined)
      task.log.warn({ address: text }, 'not the MAC address of a single machine: no port created');
    else addPort(task, { address });
  }
  task.services.networkBoots.refresh(task.node.uuid);
}

function setMaintenance(task: NodeTask, reason: string): void {
  task.transaction(() => {
    task.store({ maintenance: true, maintenance_reason: reason });
    task.recordInfo({ event: `Maintenance begins: ${reason}`, eventType: 'driver' });
  });
}

function clearMaintenance(task: NodeTask): void {
  task.transaction(() => {
    task.store(withoutMaintenance);
    task.recordInfo({ event: 'Maintenance ends.', eventType: 'driver' });
  });
}

/** Throws what `refuseUnfit` throws. The request begins when the task has released the lock, and may still be refused then. */
function requestProvision(task: NodeTask, verb: ProvisionVerb, endsMaintenance: boolean): void {
  const { services } = task;
  refuseUnfit(task.node, verb);
  task.whenReleased(() => {
    const caller = { requestId: `req-${randomUUID()}`, user: null, role: 'admin', address: null } as const;
    provision({ services, caller }, task.node.uuid, { ...withoutArguments, verb, endsMaintenance }).catch(
      (error: unknown) => {
        task.log.warn({ verb, reason: reasonOf(error) }, 'the verb that a driver asked for was refused');
        task.recordError({
          event: `The driver asked for ${verb}, which was refused: ${reasonOf(error)}`,
          eventType: 'driver',
        });
      },
    );
  });
}

const withoutArguments = {
  configdrive: null,
  disableRamdisk: false,
  steps: [],
  deploySteps: [],
  rescuePassword: null,
} as const;
