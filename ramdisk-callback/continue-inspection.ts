// POST /v1/continue_inspection: matches a ramdisk's report to its node and answers; the report is processed after that.
import type { SharedBytes } from '../daemon/http/request/body.ts';
import { type ApiRequest, type Parameters, type Reply, type Route, route } from '../daemon/http/route.ts';
import { textSchema, wholeSchema } from '../daemon/http/schema-parts.ts';
import { finishInspection, passOnReport } from '../daemon/conductor/flows/phases/inspect.ts';
import { findInspected } from '../daemon/conductor/inspection/identify.ts';
import { type MachineIdentity, refuseWhenDisabled, tokenFor } from '../daemon/conductor/ramdisk/lookup.ts';
import { keepRamdiskLogs } from '../daemon/conductor/ramdisk/ramdisk-logs.ts';
import { startTask } from '../daemon/conductor/tasks/run-task.ts';
import type { Services } from '../daemon/conductor/services.ts';
import type { NodeTask } from '../daemon/conductor/tasks/task.ts';
import { VALUES_LIMIT } from '../daemon/lib/json/json-extent.ts';
import type { Release } from '../daemon/lib/memory-budget.ts';
import type { Schema } from '../daemon/lib/json/typed-schema.ts';
import { fault } from '../daemon/model/faults.ts';
import type { Node } from '../daemon/model/records/node.ts';
import { permits, statesThat } from '../daemon/model/states/provision-states.ts';
import { lookupReply, lookupSchema } from './agent-configuration.ts';
import { applyChanges } from '../daemon/conductor/inspection/apply-changes.ts';
import { type Discovery, finishDiscovery } from '../daemon/conductor/inspection/discovery.ts';
import type { HookPool } from './hooks/hook-pool.ts';
import type { Refusal } from './hooks/report.ts';
import type { Identification } from './hooks/report-worker.ts';
import { recordsOf } from '../daemon/conductor/inspection/inspected-records.ts';

const SINCE = 84;
const PATH = '/v1/continue_inspection';
const parameters = { node_uuid: { kind: 'uuid' } } as const satisfies Parameters;

interface Parts {
  readonly pool: HookPool;
  readonly discovery: Discovery;
}
type Request = ApiRequest<typeof parameters>;

/** The required part of a report; the ramdisk's collectors add other keys. */
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
    path: PATH,
    since: 1,
    body: { bytes: reportSchema, admits: refuseUnexpected },
    query: parameters,
    answers: { 202: { anyOf: [lookupSchema, wholeSchema({ uuid: textSchema })] } },
    limit: ({ config }) => ({
      kibibytes: config.api.max_json_body_size_inspection,
      option: '[api] max_json_body_size_inspection',
    }),
    handler: (request) => continueInspection(request, parts),
  });

// Anyone may send megabytes here without a login, so the body is read only while a report is expected
function refuseUnexpected({
  services,
  minor,
  query: { node_uuid: uuid },
}: Pick<ApiRequest, 'services' | 'minor' | 'query'>): void {
  refuseWhenDisabled(services);
  if (!isCompatible(minor, uuid) && minor < SINCE)
    throw fault('VersionedNotFound', { path: PATH, since: SINCE });
  const waiting = statesThat('inspectionReport');
  const node = uuid === undefined ? undefined : services.db.nodes.get(String(uuid));
  const isExpected =
    uuid === undefined
      ? services.config.auto_discovery.enabled || services.db.nodes.countInStates(waiting) > 0
      : node !== undefined && waiting.includes(node.provision_state);
  if (isExpected) return;
  services.log.warn({ uuid, reason: 'no node waits for it' }, 'inspection data matched no waiting node');
  throw fault('NotFound', {});
}

/** Whether the request uses the ironic-inspector API, which has no versions and expects that service's answers. */
const isCompatible = (minor: number, uuid: unknown): boolean => minor === 1 && uuid === undefined;

async function continueInspection(request: Request, parts: Parts): Promise<Reply> {
  const { services, minor, query, baseUrl } = request;
  const compatible = isCompatible(minor, query.node_uuid);
  const bytes = request.body as SharedBytes;
  const processed = request.keepBody();
  try {
    const identity = identityIn(request, await parts.pool.identify(bytes));
    let token: string | null = null;
    const node = await processLater(request, parts, identity, {
      bytes,
      accept(task) {
        if (!compatible) token = tokenFor(task);
      },
      processed,
    });
    return {
      status: 202,
      body: compatible ? { uuid: node.uuid } : lookupReply(services, baseUrl, node, token),
    };
  } catch (error) {
    processed();
    throw error;
  }
}

function identityIn({ services, query }: Request, found: Identification): MachineIdentity {
  if (found.kind === 'refused') throw refusal(services, found);
  const { macs, bmcAddresses } = found;
  if (macs.length === 0 && bmcAddresses.length === 0 && query.node_uuid === undefined) {
    throw fault('Invalid', { reason: 'The inventory has no valid MAC or BMC address to find its node by.' });
  }
  return { uuid: query.node_uuid, macs, bmcAddresses };
}

function refusal({ config }: Services, { code, reason }: Refusal) {
  if (code === 'BodyTooDeep') return fault(code, { limit: config.api.max_json_body_depth });
  if (code === 'BodyTooManyValues') return fault(code, { limit: VALUES_LIMIT });
  if (code === 'InvalidBody') return fault(code, { reason });
  return fault(code, { resource: 'inspection data', reason });
}

interface Delivery {
  readonly bytes: SharedBytes;
  /** Called under the node's lock, before processing begins. */
  readonly accept: (task: NodeTask) => void;
  /** Called when the bytes are no longer needed, unless the report is refused. */
  readonly processed: Release;
}

/** Returns the report's node; the report is processed in the background. Throws NotFound when no node matches. */
async function processLater(
  { services, caller }: Request,
  { pool, discovery }: Parts,
  identity: MachineIdentity,
  { bytes, accept, processed }: Delivery,
): Promise<Node> {
  const found = findInspected(services, identity);
  if (found.kind === 'waiting') {
    await startTask({ services, caller }, found.node.uuid, (task) => {
      if (permits(task.node.provision_state, 'inspectionReport') !== true) throw fault('NotFound', {});
      accept(task);
      if (task.driver.inspect.passOn !== undefined) {
        void passOnReport(task, bytes).finally(processed);
        return undefined;
      }
      task.transition('resume', { startsWork: true });
      return (running) =>
        finishInspection(running, () => processReport(running, { pool, bytes, isDiscovered: false })).finally(
          processed,
        );
    });
    return found.node;
  }
  if (found.kind === 'near miss') throw fault('NotFound', {});
  const enrolled = await discovery.enrol(services, identity, (node, done) =>
    startTask({ services, caller }, node.uuid, (task) => {
      accept(task);
      const process = () => processReport(task, { pool, bytes, isDiscovered: true });
      return (running) =>
        finishDiscovery(running, identity.macs, process).finally(() => {
          done();
          processed();
        });
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
