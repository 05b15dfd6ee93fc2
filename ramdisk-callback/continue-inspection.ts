// POST /v1/continue_inspection: what a ramdisk found is matched to its node, and processed after it has its answer.
import type { ApiRequest, Parameters, Reply } from '../daemon/api/route.ts';
import { finishInspection } from '../daemon/conductor/phases/inspect.ts';
import { findInspected, refuseWhenDisabled, tokenFor } from '../daemon/conductor/ramdisk.ts';
import { keepRamdiskLogs } from '../daemon/conductor/ramdisk-logs.ts';
import { startTask } from '../daemon/conductor/run-task.ts';
import type { Services } from '../daemon/conductor/services.ts';
import type { NodeTask } from '../daemon/conductor/task.ts';
import { fault } from '../daemon/model/faults.ts';
import { permits } from '../daemon/model/provision-states.ts';
import { lookupReply } from './agent-configuration.ts';
import { applyChanges } from './apply-changes.ts';
import { type HookPool, shared, type SharedBytes } from './hook-pool.ts';
import type { Identification } from './hook-worker.ts';
import type { InspectedRecords } from './inspection-changes.ts';

const SINCE = 84;
export const continueParameters = { node_uuid: { kind: 'uuid' } } as const satisfies Parameters;

export async function continueInspection(
  request: ApiRequest<typeof continueParameters>,
  pool: HookPool,
): Promise<Reply> {
  const { services, caller, minor, query, baseUrl } = request;
  refuseWhenDisabled(services);
  const compatible = minor === 1 && query.node_uuid === undefined;
  if (!compatible && minor < SINCE) {
    throw fault('VersionedNotFound', { path: request.path, since: SINCE });
  }
  const bytes = shared(request.body as Uint8Array);
  const { macs, bmcAddresses } = identified(services, await pool.identify(bytes));
  if (macs.length === 0 && bmcAddresses.length === 0 && query.node_uuid === undefined) {
    throw fault('Invalid', { reason: 'The inventory has no valid MAC or BMC address to find its node by.' });
  }
  const node = findInspected(services, { uuid: query.node_uuid, macs, bmcAddresses });
  if (node === undefined) throw fault('NotFound', {});
  let token: string | null = null;
  await startTask(services, caller, node.uuid, (task) => {
    if (permits(task.node.provision_state, 'inspectionReport') !== true) throw fault('NotFound', {});
    if (!compatible) token = tokenFor(task);
    task.transition('resume', { startsWork: true });
    return (running) => finishInspection(running, () => processReport(running, pool, bytes));
  });
  return {
    status: 202,
    body: compatible ? { uuid: node.uuid } : lookupReply(services, baseUrl, node, token),
  };
}

function identified(services: Services, found: Identification) {
  if (found.kind === 'identified') return found;
  if (found.code === 'BodyTooDeep')
    throw fault('BodyTooDeep', { limit: services.config.api.max_json_body_depth });
  if (found.code === 'InvalidBody') throw fault('InvalidBody', { reason: found.reason });
  throw fault('InvalidSchema', { resource: 'inspection data', reason: found.reason });
}

async function processReport(task: NodeTask, pool: HookPool, bytes: SharedBytes): Promise<void> {
  const archive = () => pool.logs(bytes);
  try {
    const outcome = await pool.inspect(bytes, recordsOf(task));
    for (const { level, message } of outcome.lines) task.log[level]({ message }, 'inspection hook or rule');
    if (outcome.kind === 'failed') throw new Error(outcome.reason);
    applyChanges(task, outcome.changes);
  } catch (error) {
    await keepRamdiskLogs(task, { label: 'inspect', failed: true, archive });
    throw error;
  }
  await keepRamdiskLogs(task, { label: 'inspect', failed: false, archive });
}

function recordsOf({ node, ports, services: { db, config } }: NodeTask): InspectedRecords {
  const isKept = config.inventory.data_backend === 'database';
  return {
    node,
    rules: db.inspectionRules.where({ sql: 'phase = ?', values: ['main'] }),
    ports: ports.map(({ uuid, address, pxe_enabled, extra, local_link_connection, physical_network }) => ({
      uuid,
      address,
      pxe_enabled,
      extra,
      local_link_connection,
      physical_network,
    })),
    previousInventory: isKept ? db.inventory.inventoryOf(node.uuid) : undefined,
  };
}
