// The verbs of PUT /v1/nodes/{node}/states/provision: checks each request and starts the phase that carries it out.
import { fault } from '../../model/faults.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Node } from '../../model/records/node.ts';
import type { ProvisionEvent } from '../../model/states/provision-events.ts';
import { next, permissionIn, provisionStates } from '../../model/states/provision-states.ts';
import type { DeployStep, RequestedStep } from '../../model/steps/step-lists.ts';
import { adviceFor, type ProvisionVerb, verbOf } from '../../model/states/verbs.ts';
import { beginAdoption } from './phases/adopt.ts';
import type { RequestedImage } from '../images/instance-request.ts';
import { beginDeployment } from './phases/deploy.ts';
import { abortRescue, beginRescue, beginUnrescue } from './phases/rescue.ts';
import { beginTearDown } from './phases/tear-down.ts';
import { abortInspection, beginInspection } from './phases/inspect.ts';
import { beginManualCleaning, beginProvide } from './phases/clean.ts';
import { beginService } from './phases/service.ts';
import { abortFlow, endHold, phaseOf } from './phases/step-phases.ts';
import { verify } from './phases/verify.ts';
import type { FlowServices, FlowTask, FlowWork } from './services.ts';
import { startTask } from '../tasks/run-task.ts';
import type { Call } from '../tasks/services.ts';

/** A verb with its arguments; arguments that the verb does not take are null, false or empty. */
export interface ProvisionRequest {
  readonly verb: ProvisionVerb;
  /** A URL, a base64 text, or the documents to build the config drive from. */
  readonly configdrive: string | JsonObject | null;
  /** The image that the instance gets; null: the one that the node has. */
  readonly image: RequestedImage | null;
  /** What else the request puts into instance_info. */
  readonly instanceInfo?: JsonObject;
  readonly disableRamdisk: boolean;
  /** The steps of `clean` and `service`, in running order. */
  readonly steps: readonly RequestedStep[];
  readonly deploySteps: readonly DeployStep[];
  readonly rescuePassword: string | null;
  /** Whether `provide` ends the node's maintenance; false in requests of users. */
  readonly endsMaintenance?: boolean;
}

/** What a request has that consists of nothing but its verb. */
export const verbAlone = {
  configdrive: null,
  image: null,
  disableRamdisk: false,
  steps: [],
  deploySteps: [],
  rescuePassword: null,
} as const satisfies Omit<ProvisionRequest, 'verb'>;

/**
 * Checks the verb of a request whose arguments have not been checked yet. Throws InvalidStateRequested, and for `active` and
 * `rebuild` NodeInMaintenance. While work is running on the node, throws NodeLocked instead of InvalidStateRequested, because the
 * verb may be possible when the work has ended.
 */
export function refuseUnfitVerb({ locks, host }: FlowServices, node: Node, verb: ProvisionVerb): void {
  if (verb === 'active' || verb === 'rebuild') refuseInMaintenance(node, verb);
  const possible = next(node.provision_state, verbOf(verb).event) !== undefined;
  if (!possible && locks.holderOf(node.uuid) !== null) throw fault('NodeLocked', { node: node.uuid, host });
  refuseImpossible(node, verb);
}

/** Starts the request. Resolves when the transitional state is stored; the work continues in the background. */
export async function provision(
  context: Call<FlowServices>,
  uuid: string,
  request: ProvisionRequest,
): Promise<void> {
  refuseTooMany(context.services, uuid, request.verb);
  await startTask(context, uuid, (task) => {
    refuseUnfit(task.node, request.verb);
    return begin(task, request);
  });
}

/** Throws NodeInMaintenance or InvalidStateRequested. */
export function refuseUnfit(node: Node, verb: ProvisionVerb): void {
  refuseInMaintenance(node, verb);
  refuseImpossible(node, verb);
}

function refuseTooMany({ db, config }: FlowServices, node: string, verb: ProvisionVerb): void {
  const { countsAs: kind } = verbOf(verb);
  if (kind === undefined) return;
  const states = provisionStates.filter((state) => permissionIn(state, 'countsAs') === kind);
  const count = db.nodes.countInStates(states);
  if (count >= config.conductor[`max_concurrent_${kind}`])
    throw fault('ConcurrentActionLimit', { action: verb, node, count, kind });
}

function refuseInMaintenance(node: Node, verb: ProvisionVerb): void {
  if (node.maintenance && verbOf(verb).notInMaintenance === true) {
    throw fault('NodeInMaintenance', { action: verb, node: node.uuid });
  }
}

function refuseImpossible(node: Node, verb: ProvisionVerb): void {
  if (next(node.provision_state, verbOf(verb).event) === undefined) {
    const { uuid, provision_state: state } = node;
    throw fault('InvalidStateRequested', { action: verb, node: uuid, state, advice: adviceFor(state, verb) });
  }
}

type Begin = (
  task: FlowTask,
  request: ProvisionRequest,
) => FlowWork | undefined | Promise<FlowWork | undefined>;

const begins: Readonly<Partial<Record<ProvisionEvent, Begin>>> = {
  manage: beginManage,
  inspect: beginInspection,
  provide: beginProvide,
  deploy: beginDeployment,
  rebuild: beginDeployment,
  delete: beginTearDown,
  adopt: beginAdoption,
  rescue: beginRescue,
  unrescue: beginUnrescue,
  clean: beginManualCleaning,
  service: beginService,
  abort: beginAbort,
  unhold: beginUnhold,
};

function begin(task: FlowTask, request: ProvisionRequest): ReturnType<Begin> {
  const beginVerb = begins[verbOf(request.verb).event];
  if (beginVerb === undefined)
    throw fault('UnsupportedDriverExtension', { driver: task.node.driver, extension: request.verb });
  return beginVerb(task, request);
}

function beginManage(task: FlowTask): FlowWork | undefined {
  const verifies = next(task.node.provision_state, 'manage') === 'verifying';
  task.transition('manage', verifies ? { startsWork: true } : {});
  return verifies ? verify : undefined;
}

function beginAbort(task: FlowTask): FlowWork | undefined {
  if (permissionIn(task.node.provision_state, 'inspectionReport') === true) return abortInspection(task);
  if (permissionIn(task.node.provision_state, 'rescued') === true) return abortRescue(task);
  const phase = phaseOf(task.node);
  if (phase !== undefined) return abortFlow(task, phase);
  throw unsupportedHere(task, 'abort');
}

function beginUnhold(task: FlowTask): FlowWork {
  const phase = phaseOf(task.node);
  if (phase !== undefined) return endHold(task, phase);
  throw unsupportedHere(task, 'unhold');
}

const unsupportedHere = ({ node }: FlowTask, verb: ProvisionVerb) =>
  fault('UnsupportedDriverExtension', {
    driver: node.driver,
    extension: `${verb} in state "${node.provision_state}"`,
  });
