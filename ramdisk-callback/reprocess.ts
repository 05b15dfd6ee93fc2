// POST /v1/nodes/{node}/inventory/reprocess, an extension: runs hooks and rules on the stored data of an inspection.
import type { Arguments } from '../daemon/http/arguments.ts';
import { nodeOf } from '../daemon/api/node-request.ts';
import { type ApiRequest, type Parameters, type Reply, type Route, route } from '../daemon/http/route.ts';
import { flagSchema, objectSchema, textSchema } from '../daemon/http/schema-parts.ts';
import { withTask } from '../daemon/conductor/tasks/run-task.ts';
import { storedInventory } from '../daemon/conductor/inspection/stored-inventory.ts';
import { NodeTask } from '../daemon/conductor/tasks/task.ts';
import { fault } from '../daemon/model/faults.ts';
import type { Node } from '../daemon/model/records/node.ts';
import { classOf, permits } from '../daemon/model/states/provision-states.ts';
import { applyChanges } from '../daemon/conductor/inspection/apply-changes.ts';
import type { Comparison } from './hooks/compare.ts';
import type { HookPool } from './hooks/hook-pool.ts';
import { recordsOf } from '../daemon/conductor/inspection/inspected-records.ts';
import { InspectionError } from '#plugin-api';

const givenArguments = { dry_run: { kind: 'flag' } } as const satisfies Arguments;

const changeSchema = objectSchema({ path: textSchema, before: {}, after: {} }, ['path']);
const lineSchema = objectSchema({ level: textSchema, message: textSchema }, ['level', 'message']);
const answerSchema = objectSchema(
  {
    dry_run: flagSchema,
    changes: { type: 'array', items: changeSchema },
    log: { type: 'array', items: lineSchema },
  },
  ['dry_run', 'changes', 'log'],
);

export const reprocessRoute = (pool: HookPool): Route =>
  route({
    method: 'POST',
    path: '/v1/nodes/:node/inventory/reprocess',
    since: 1,
    body: { arguments: givenArguments },
    answers: { 200: answerSchema },
    handler: (request) => reprocess(request, pool),
  });

async function reprocess(
  request: ApiRequest<Parameters, typeof givenArguments>,
  pool: HookPool,
): Promise<Reply> {
  const { services, caller, given } = request;
  const node = nodeOf(request);
  const isDryRun = given.dry_run === true;
  const { differences, lines } = isDryRun
    ? await compare(new NodeTask({ services, caller }, node), pool, true)
    : await withTask({ services, caller }, node.uuid, (task) => change(task, pool));
  return { status: 200, body: { dry_run: isDryRun, changes: differences, log: lines } };
}

type Changed = Extract<Comparison, { kind: 'changed' }>;

async function compare(
  { services, node, log }: NodeTask,
  pool: HookPool,
  isDryRun: boolean,
): Promise<Changed> {
  const stored = storedInventory(services, node.uuid);
  const outcome = await pool.reprocess(stored, recordsOf(services, node, false), isDryRun);
  for (const { level, message } of outcome.lines) log[level]({ message }, 'inspection hook or rule');
  if (outcome.kind === 'changed') return outcome;
  throw fault('InventoryNotProcessed', { node: node.uuid, reason: outcome.reason });
}

async function change(task: NodeTask, pool: HookPool): Promise<Changed> {
  refuseWrongMoment(task.node);
  const outcome = await compare(task, pool, false);
  task.transaction(() => {
    applied(task, outcome);
    const count = outcome.differences.length;
    task.recordInfo({
      event: `The stored inspection data was processed again: ${count} ${count === 1 ? 'value' : 'values'} changed.`,
      eventType: 'inspection',
    });
  });
  return outcome;
}

function applied(task: NodeTask, { changes }: Changed): void {
  try {
    applyChanges(task, changes);
  } catch (error) {
    if (!(error instanceof InspectionError)) throw error;
    throw fault('InventoryNotProcessed', { node: task.node.uuid, reason: error.message });
  }
}

// hooks and rules may remove ports and change how they are connected
function refuseWrongMoment(node: Node): void {
  const { uuid, provision_state: state, maintenance } = node;
  if (!['stable', 'failed'].includes(classOf(state))) throw fault('NodeBusy', { node: uuid });
  if (maintenance || permits(state, 'rewire') === true) return;
  throw fault('InvalidState', {
    reason: `The inspection data of node ${uuid} can not be processed again while it is in state "${state}", because that may change its ports. Put the node into maintenance first, or use a dry run, which is always possible.`,
  });
}
