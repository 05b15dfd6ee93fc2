// The worker thread that runs hooks and rules on ramdisks' reports.
import type { MessagePort } from 'node:worker_threads';
import { workerData } from 'piscina';
import type { InspectedRecords } from '../../daemon/conductor/inspection/changes.ts';
import type { ComparedOutcome, ReportOutcome } from '../../daemon/conductor/inspection/report-processor.ts';
import type { StoredInventory } from '../../daemon/db/tables/node-inventory.ts';
import type { HookReference } from '../../daemon/plugin-host/hooks.ts';
import { resolvePluginApi } from '../../daemon/plugin-host/resolve-plugin-api.ts';
import { processAndCompare } from './compare.ts';
import { handedOver } from './handed-over.ts';
import { runAcross, tellThread } from './isolated-hooks.ts';
import { type Processing, processReport } from './process-report.ts';
import { loadBuiltInRules, loadReportHooks, type ProcessingSetup } from './processing.ts';
import { readReport, storedReport } from './report.ts';

const setup = workerData as ProcessingSetup;
resolvePluginApi();

/** How to reach hooks in other processes, and which hooks to run instead of `[inspector] hooks`. */
interface HookSource {
  readonly port: MessagePort;
  readonly hooks?: readonly HookReference[] | undefined;
}

async function currentProcessing(
  isDryRun: boolean,
  { port, hooks = setup.hooks }: HookSource,
): Promise<Processing> {
  tellThread(port);
  const { configuration, masking } = setup;
  const builtInRules = await loadBuiltInRules(setup.builtInRules);
  const loaded = await loadReportHooks(hooks, runAcross(port));
  return { hooks: loaded, configuration, masking, builtInRules, isDryRun };
}

export async function inspect({
  report,
  records,
  ...source
}: HookSource & {
  readonly report: Uint8Array;
  readonly records: InspectedRecords;
}): Promise<ReportOutcome> {
  const reading = readReport(report, setup.depthLimit);
  if (reading.kind === 'refused') return { kind: 'failed', reason: reading.reason, lines: [] };
  return moved(await processReport(await currentProcessing(false, source), reading.report, records));
}

export async function reprocess({
  stored,
  records,
  isDryRun,
  ...source
}: HookSource & {
  readonly stored: StoredInventory;
  readonly records: InspectedRecords;
  readonly isDryRun: boolean;
}): Promise<ComparedOutcome> {
  const reading = storedReport(stored);
  if (reading.kind === 'refused') return { kind: 'failed', reason: reading.reason, lines: [] };
  return moved(await processAndCompare(await currentProcessing(isDryRun, source), reading.report, records));
}

function moved<T extends ReportOutcome>(outcome: T): T {
  if (outcome.kind === 'failed') return outcome;
  const { inventory, plugin_data } = outcome.changes.stored;
  return handedOver(outcome, [inventory.buffer, plugin_data.buffer]);
}
