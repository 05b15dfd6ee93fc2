// The task as plugins see it: implements the interface `Task` of #plugin-api with functions of the conductor.
import { randomUUID } from 'node:crypto';
import { memberCondition } from '../db/tables/table.ts';
import { parseStationMac } from '../lib/network/mac.ts';
import { reasonOf } from '../model/faults.ts';
import type { ProvisionVerb } from '../model/states/verbs.ts';
import { driverChanges } from '../plugin-api/contract/task.ts';
import type { BootServices, DriverChanges, Images, Ramdisk, Task } from '../plugin-api/index.ts';
import { provision, refuseUnfit, verbAlone } from './flows/provision.ts';
import { renewEventUrl } from './bmc-events/event-token.ts';
import { serveCd } from './boot/cd-boot.ts';
import { checkSystem } from './boot/check-boot.ts';
import { bootObstacle, serveBoot, withdrawBoot } from './boot/network-boot.ts';
import { unknownObstacle } from './boot/unknown-boot.ts';
import {
  copyForStep,
  inspectInstanceImage,
  preparedImage,
  prepareInstanceImage,
} from './images/node-files.ts';
import { changePower } from './hardware/change-power.ts';
import { loadInstanceKernel, startInstanceKernel } from './ramdisk/instance-kernel.ts';
import { agentParameters } from './ramdisk/ramdisk-parameters.ts';
import { saveRamdiskLogs } from './ramdisk/ramdisk-logs.ts';
import { addPort } from './records/ports/add-port.ts';
import { withoutMaintenance } from './records/maintenance.ts';
import { isAgentAlive, isFastTrack, keepsAgent } from './tasks/agent-state.ts';
import { withImageName } from './tasks/named-image.ts';
import { taskClock, type NodeTask } from './tasks/task.ts';
import type { Services } from './services.ts';

/** The plugin host wraps the result for each call, so that no plugin gets the object itself. */
export function pluginTask(task: NodeTask<Services>): Task {
  const { services, log } = task;
  return {
    get node() {
      return task.nodeOfDriver;
    },
    get ports() {
      return task.ports;
    },
    volumes: {
      get connectors() {
        return task.services.db.volumeConnectors.where(ofNode(task));
      },
      get targets() {
        return task.services.db.volumeTargets.where(ofNode(task));
      },
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
    update: async (changes) => task.store(withImageName(task.node, task.nodeOfDriver, onlyDrivers(changes))),
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

const ofNode = ({ node }: NodeTask) => memberCondition('node_uuid', [node.uuid]);

function ramdiskOf(task: NodeTask<Services>): Ramdisk {
  const { services } = task;
  return {
    get agent() {
      return task.agent;
    },
    get parameters() {
      return agentParameters(services.config);
    },
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
    loadInstanceKernel: () => loadInstanceKernel(task),
    startInstanceKernel: () => startInstanceKernel(task),
  };
}

const bootOf = (task: NodeTask<Services>): BootServices => ({
  get obstacle() {
    return bootObstacle(task.services);
  },
  get unknownObstacle() {
    return unknownObstacle(task.services);
  },
  get dhcp() {
    return task.dhcp;
  },
  check: (system, medium) => checkSystem(task.services, system, medium),
  serve: (boot) => serveBoot(task, boot),
  serveCd: (cd) => serveCd(task, cd),
  withdraw: () => withdrawBoot(task),
});

const imagesOf = (task: NodeTask<Services>): Images => ({
  get prepared() {
    return preparedImage(task);
  },
  check: (image) => task.services.images.checkRequest(image),
  prepare: (image) => prepareInstanceImage(task, image),
  inspect: (image) => inspectInstanceImage(task, image),
  copyForStep: (source) => copyForStep(task, source),
});

/** Returns the changes. Throws when they contain a field that only the conductor may change. */
function onlyDrivers(changes: DriverChanges): DriverChanges {
  const other = Object.keys(changes).find((field) => !Object.hasOwn(driverChanges, field));
  if (other === undefined) return changes;
  throw new Error(
    `task.update cannot change ${other}. It can change: ${Object.keys(driverChanges).join(', ')}`,
  );
}

function addPorts(task: NodeTask<Services>, addresses: readonly string[]): void {
  for (const text of addresses) {
    const address = parseStationMac(text);
    if (address === undefined)
      task.log.warn({ address: text }, 'not the MAC address of a single machine: no port created');
    else addPort(task, { address });
  }
  task.services.networkBoots.refresh(task.node.uuid);
}

function setMaintenance(task: NodeTask<Services>, reason: string): void {
  task.transaction(() => {
    task.store({ maintenance: true, maintenance_reason: reason });
    task.recordInfo({ event: `Maintenance begins: ${reason}`, eventType: 'driver' });
  });
}

function clearMaintenance(task: NodeTask<Services>): void {
  task.transaction(() => {
    task.store(withoutMaintenance);
    task.recordInfo({ event: 'Maintenance ends.', eventType: 'driver' });
  });
}

/** Throws what `refuseUnfit` throws. The request begins when the task has released the lock, and may still be refused then. */
function requestProvision(task: NodeTask<Services>, verb: ProvisionVerb, endsMaintenance: boolean): void {
  const { services } = task;
  refuseUnfit(task.node, verb);
  task.whenReleased(() => {
    const caller = { requestId: `req-${randomUUID()}`, user: null, role: 'admin', address: null } as const;
    provision({ services, caller }, task.node.uuid, { ...verbAlone, verb, endsMaintenance }).catch(
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
