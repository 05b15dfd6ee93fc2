// Has worker threads compute what a report changes, and writes the log lines of hooks and rules.
import type { Config } from '../../config/sections/core-sections.ts';
import type { Tables } from '../../db/database.ts';
import { fault } from '../../model/faults.ts';
import type { Node } from '../../model/records/node.ts';
import type { InspectionReport } from '../../plugin-api/index.ts';
import { hooksLabel } from '../../plugin-host/named-options.ts';
import type { InspectedRecords, InspectionChanges } from './changes.ts';
import type { Compared, LogLine, ReportOutcome } from './report-processor.ts';
import { AGENT } from './hardware.ts';
import { keepsInventories, storedInventory } from './stored-inventory.ts';
import type { InspectionTask } from './services.ts';

/** Rejects with the reason when hooks or rules fail. `isDiscovered`: as in `InspectedRecords`. */
export async function changesByReport(
  { services, node, log }: InspectionTask,
  report: Uint8Array,
  isDiscovered: boolean,
): Promise<InspectionChanges> {
  const outcome = await services.inspection.inspect(report, recordsOf(services, node, isDiscovered));
  return changesIn(log, outcome, AGENT);
}

/**
 * Like `changesByReport`, for a report that the inspect interface itself has made, for example from what the BMC says. If the
 * interface has hooks of its own, these process the report.
 */
export async function changesByInterface(
  { services, node, log, driver }: InspectionTask,
  { inventory, pluginData }: InspectionReport,
): Promise<InspectionChanges> {
  const bytes = Buffer.from(JSON.stringify({ ...pluginData, inventory }));
  const { hooks } = driver.inspect;
  const own = hooks && services.registry.ownHooks.get(hooksLabel(hooks));
  const outcome = await services.inspection.inspect(bytes, recordsOf(services, node, false), own);
  return changesIn(log, outcome, node.inspect_interface ?? 'bmc');
}

function changesIn(log: InspectionTask['log'], outcome: ReportOutcome, source: string): InspectionChanges {
  writeLines(log, outcome.lines);
  if (outcome.kind === 'failed') throw new Error(outcome.reason);
  const { hardware, ...changes } = outcome.changes;
  return { ...changes, seen: { ...hardware, source } };
}

/**
 * Like `changesByReport`, for the stored data of the last inspection. Throws NodeInventoryNotFound, or InventoryNotProcessed when
 * hooks or rules fail. In a dry run, the `api-call` actions of rules send no requests.
 */
export async function changesByInventory(
  { services, node, log }: InspectionTask,
  isDryRun: boolean,
): Promise<Compared> {
  const stored = storedInventory(services, node.uuid);
  const outcome = await services.inspection.reprocess(stored, recordsOf(services, node, false), isDryRun);
  writeLines(log, outcome.lines);
  if (outcome.kind === 'changed') return outcome;
  throw fault('InventoryNotProcessed', { node: node.uuid, reason: outcome.reason });
}

function writeLines(log: InspectionTask['log'], lines: readonly LogLine[]): void {
  for (const { level, message } of lines) log[level]({ message }, 'inspection hook or rule');
}

/**
 * Returns changes that only store the report, if there is one and inventories are stored: the external inspection service has
 * changed the node and its ports itself.
 */
export async function changesByService(
  { services }: InspectionTask,
  report: Uint8Array | undefined,
): Promise<InspectionChanges> {
  const isStored = report !== undefined && keepsInventories(services);
  const stored = isStored ? await services.inspection.split(report) : undefined;
  return { node: {}, authors: {}, addedPorts: [], changedPorts: [], removedPorts: [], stored };
}

interface Source {
  readonly db: Pick<Tables, 'ports' | 'inspectionRules' | 'inventory'>;
  readonly config: Pick<Config, 'inventory'>;
}

/** Returns the records that processing starts from. */
export function recordsOf(source: Source, node: Node, isDiscovered: boolean): InspectedRecords {
  const { db } = source;
  return {
    node,
    rules: db.inspectionRules.where({ sql: 'phase = ?', values: ['main'] }),
    ports: db.ports
      .ofNode(node.uuid)
      .map(({ uuid, address, pxe_enabled, extra, local_link_connection, physical_network }) => ({
        uuid,
        address,
        pxe_enabled,
        extra,
        local_link_connection,
        physical_network,
      })),
    isDiscovered,
    previousInventory: keepsInventories(source) ? db.inventory.inventoryOf(node.uuid) : undefined,
  };
}
