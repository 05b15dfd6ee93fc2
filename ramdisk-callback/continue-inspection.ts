// POST /v1/continue_inspection: what a ramdisk found is matched to its node, and processed after it has its answer.
import { type ApiRequest, type Parameters, type Reply, type Route, route } from '../daemon/api/route.ts';
import { textSchema, wholeSchema } from '../daemon/api/schema-parts.ts';
import { finishInspection, passOnReport } from '../daemon/conductor/phases/inspect.ts';
import {
  findInspected,
  type MachineIdentity,
  refuseWhenDisabled,
  tokenFor,
} from '../daemon/conductor/ramdisk.ts';
import { keepRamdiskLogs } from '../daemon/conductor/ramdisk-logs.ts';
import { startTask } from '../daemon/conductor/run-task.ts';
import type { Services } from '../daemon/conductor/services.ts';
import type { NodeTask } from '../daemon/conductor/task.ts';
import type { Schema } from '../daemon/lib/typed-schema.ts';
import { fault } from '../daemon/model/faults.ts';
import type { Node } from '../daemon/model/node.ts';
import { permits } from '../daemon/model/provision-states.ts';
import { lookupReply, lookupSchema } from './agent-configuration.ts';
import { applyChanges } from './apply-changes.ts';
import { type Discovery, finishDiscovery } from './discovery.ts';
import { type HookPool, shared, type SharedBytes } from './hook-pool.ts';
import type { Identification } from './hook-worker.ts';
import { recordsOf } from './inspected-records.ts';

const SINCE = 84;
const parameters = { node_uuid: { kind: 'uuid' } } as const satisfies Parameters;

interface Parts {
  readonly pool: HookPool;
  readonly discovery: Discovery;
}
type Request = ApiRequest<typeof parameters>;

/** What a ramdisk posts, beside what its own collectors add. */
const reportSchema: Schema = {
  type: 'object',
  properties: {
    inventory: {
      type: 'object',
      properties: { interfaces: { type: 'array', minItems: 1, items: { type: 'object' } } },
      required: ['interfaces'],
    },
  },
  required: ['inventory'],
};

export const continueInspectionRoute = (parts: Parts): Route =>
  route({
    method: 'POST',
    path: '/v1/continue_inspection',
    since: 1,
    body: { bytes: reportSchema },
    query: parameters,
    answers: { 202: { anyOf: [lookupSchema, wholeSchema({ uuid: textSchema })] } },
    limit: ({ config }) => ({
      kibibytes: config.api.max_json_body_size_inspection,
      option: '[api] max_json_body_size_inspection',
    }),
    handler: (request) => continueInspection(request, parts),
  });

async function continueInspection(request: Request, parts: Parts): Promise<Reply> {
  const { services, minor, query, baseUrl } = request;
  refuseWhenDisabled(services);
  const compatible = minor === 1 && query.node_uuid === undefined;
  if (!compatible && minor < SINCE) {
    throw fault('VersionedNotFound', { path: request.path, since: SINCE });
  }
  const bytes = shared(request.body as Uint8Array);
  const identity = identityIn(request, await parts.pool.identify(bytes));
  let token: string | null = null;
  const node = await processLater(request, parts, identity, {
    bytes,
    accept(task) {
      if (!compatible) token = tokenFor(task);
    },
  });
  return {
    status: 202,
    body: compatible ? { uuid: node.uuid } : lookupReply(services, baseUrl, node, token),
  };
}

function identityIn({ services, query }: Request, found: Identification): MachineIdentity {
  if (found.kind === 'refused') throw refusal(services, found);
  const { macs, bmcAddresses } = found;
  if (macs.length === 0 && bmcAddresses.length === 0 && query.node_uuid === undefined) {
    throw fault('Invalid', { reason: 'The inventory has no valid MAC or BMC address to find its node by.' });
  }
  return { uuid: query.node_uuid, macs, bmcAddresses };
}

function refusal({ config }: Services, { code, reason }: Extract<Identification, { kind: 'refused' }>) {
  if (code === 'BodyTooDeep') return fault(code, { limit: config.api.max_json_body_depth });
  if (code === 'InvalidBody') return fault(code, { reason });
  return fault(code, { resource: 'inspection data', reason });
}

interface Delivery {
  readonly bytes: SharedBytes;
  /** Called under the node's lock, before the work begins. */
  readonly accept: (task: NodeTask) => void;
}

/** The node that the report belongs to; it is processed in the background. Throws NotFound when there is none. */
async function processLater(
  { services, caller }: Request,
  { pool, discovery }: Parts,
  identity: MachineIdentity,
  { bytes, accept }: Delivery,
): Promise<Node> {
  const found = findInspected(services, identity);
  if (found.kind === 'waiting') {
    await startTask(services, caller, found.node.uuid, (task) => {
      if (permits(task.node.provision_state, 'inspectionReport') !== true) throw fault('NotFound', {});
      accept(task);
      if (task.driver.inspect.passOn !== undefined) {
        passOnReport(task, bytes);
        return undefined;
      }
      task.transition('resume', { startsWork: true });
      return (running) =>
        finishInspection(running, () => processReport(running, { pool, bytes, isDiscovered: false }));
    });
    return found.node;
  }
  if (found.kind === 'near miss') throw fault('NotFound', {});
  const enrolled = await discovery.enrol(services, identity, (node, done) =>
    startTask(services, caller, node.uuid, (task) => {
      accept(task);
      const process = () => processReport(task, { pool, bytes, isDiscovered: true });
      return (running) => finishDiscovery(running, identity.macs, process).finally(done);
    }),
  );
  if (enrolled === undefined) throw fault('NotFound', {});
  return enrolled;
}

interface Processing {
  readonly pool: HookPool;
  readonly bytes: SharedBytes;
  readonly isDiscovered: boolean;
}

async function processReport(task: NodeTask, { pool, bytes, isDiscovered }: Processing): Promise<void> {
  const archive = () => pool.logs(bytes);
  try {
    const outcome = await pool.inspect(bytes, recordsOf(task.services, task.node, isDiscovered));
    for (const { level, message } of outcome.lines) task.log[level]({ message }, 'inspection hook or rule');
    if (outcome.kind === 'failed') throw new Error(outcome.reason);
    applyChanges(task, outcome.changes);
  } catch (error) {
    await keepRamdiskLogs(task, { label: 'inspect', failed: true, archive });
    throw error;
  }
  await keepRamdiskLogs(task, { label: 'inspect', failed: false, archive });
}
