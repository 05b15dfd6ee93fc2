// The verbs of PUT /v1/nodes/{node}/states/provision: checks, then the phase that carries each out.
import { fault } from '../model/faults.ts';
import type { Node } from '../model/node.ts';
import { next, type ProvisionEvent } from '../model/provision-states.ts';
import { type ProvisionVerb, verbOf } from '../model/verbs.ts';
import { abortInspection, beginInspection } from './phases/inspect.ts';
import { beginProvide } from './phases/provide.ts';
import { verify } from './phases/verify.ts';
import { type BackgroundWork, nodeOrFault, startTask } from './run-task.ts';
import type { Caller, Services } from './services.ts';
import type { NodeTask } from './task.ts';

/** Accepts `verb` for the node: the transitional state is stored when it resolves, the work goes on in the background. */
export async function provision(
  services: Services,
  caller: Caller,
  uuid: string,
  verb: ProvisionVerb,
): Promise<void> {
  const node = nodeOrFault(services, uuid);
  refuseInMaintenance(node, verb);
  if (
    next(node.provision_state, verbOf(verb).event) === undefined &&
    services.locks.holderOf(uuid) !== null
  ) {
    throw fault('NodeLocked', { node: uuid, host: services.host });
  }
  refuseImpossible(node, verb);
  await startTask(services, caller, uuid, (task) => {
    refuseInMaintenance(task.node, verb);
    refuseImpossible(task.node, verb);
    return begin(task, verb);
  });
}

function refuseInMaintenance(node: Node, verb: ProvisionVerb): void {
  if (node.maintenance && verbOf(verb).notInMaintenance === true) {
    throw fault('NodeInMaintenance', { action: verb, node: node.uuid });
  }
}

function refuseImpossible(node: Node, verb: ProvisionVerb): void {
  if (next(node.provision_state, verbOf(verb).event) === undefined) {
    throw fault('InvalidStateRequested', { action: verb, node: node.uuid, state: node.provision_state });
  }
}

type Phase = (task: NodeTask) => BackgroundWork | undefined | Promise<BackgroundWork | undefined>;

const phases: Readonly<Partial<Record<ProvisionEvent, Phase>>> = {
  manage: beginManage,
  inspect: beginInspection,
  provide: beginProvide,
  abort: beginAbort,
};

function begin(task: NodeTask, verb: ProvisionVerb): ReturnType<Phase> {
  const phase = phases[verbOf(verb).event];
  if (phase === undefined)
    throw fault('UnsupportedDriverExtension', { driver: task.node.driver, extension: verb });
  return phase(task);
}

function beginManage(task: NodeTask): BackgroundWork | undefined {
  const verifies = next(task.node.provision_state, 'manage') === 'verifying';
  task.transition('manage', verifies ? { startsWork: true } : {});
  return verifies ? verify : undefined;
}

function beginAbort(task: NodeTask): BackgroundWork {
  if (task.node.provision_state === 'inspect wait') return abortInspection(task);
  throw fault('UnsupportedDriverExtension', {
    driver: task.node.driver,
    extension: `abort in state "${task.node.provision_state}"`,
  });
}
