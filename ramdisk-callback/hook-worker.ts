// The worker thread: parses what ramdisks post and runs hooks and rules on it, so that the main thread does neither.
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import type { StoredInventory } from '../daemon/db/tables/node-inventory.ts';
import { resolvePluginApi } from '../daemon/plugin-host/resolve-plugin-api.ts';
import { processAndCompare } from './compare.ts';
import type { JsonObject } from '../daemon/model/json.ts';
import type { SharedBytes } from './hook-pool.ts';
import { type InspectedRecords, storedIn } from './inspection-changes.ts';
import { type Processing, processReport, type ReportOutcome } from './process-report.ts';
import { loadBuiltInRules, loadHooks, type ProcessingSetup } from './processing.ts';
import { addressesOf, logsIn, readBody, readReport, storedReport } from './report.ts';

export type Identification =
  | ({ readonly kind: 'identified' } & ReturnType<typeof addressesOf>)
  | {
      readonly kind: 'refused';
      readonly code: 'BodyTooDeep' | 'InvalidBody' | 'InvalidSchema';
      readonly reason: string;
    };

const setup = workerData as ProcessingSetup;
resolvePluginApi();
const hooks = loadHooks(setup.hooks);

async function currentProcessing(isDryRun: boolean): Promise<Processing> {
  const { configuration, masking } = setup;
  const builtInRules = await loadBuiltInRules(setup.builtInRules);
  return { hooks: await hooks, configuration, masking, builtInRules, isDryRun };
}

/** Which machine the body is about. */
export function identify(bytes: SharedBytes): Identification {
  const reading = readReport(bytes, setup.depthLimit);
  return reading.kind === 'refused' ? reading : { kind: 'identified', ...addressesOf(reading.report) };
}

export async function inspect({
  bytes,
  records,
}: {
  readonly bytes: SharedBytes;
  readonly records: InspectedRecords;
}): Promise<unknown> {
  const reading = readReport(bytes, setup.depthLimit);
  if (reading.kind === 'refused') return { kind: 'failed', reason: reading.reason, lines: [] };
  return handedOver(await processReport(await currentProcessing(false), reading.report, records));
}

/** The same with what an earlier inspection stored, and with what it changes. */
export async function reprocess({
  stored,
  records,
  isDryRun,
}: {
  readonly stored: StoredInventory;
  readonly records: InspectedRecords;
  readonly isDryRun: boolean;
}): Promise<unknown> {
  const reading = storedReport(stored);
  if (reading.kind === 'refused') return { kind: 'failed', reason: reading.reason, lines: [] };
  return handedOver(await processAndCompare(await currentProcessing(isDryRun), reading.report, records));
}

/** A report that somebody else has processed, as the database keeps it. Throws when it is none. */
export function split(bytes: SharedBytes): unknown {
  const reading = readBody(bytes, setup.depthLimit);
  if (reading.kind === 'refused') throw new Error(reading.reason);
  const { body, numbers } = reading;
  const { inventory = {}, ...pluginData } = body as JsonObject & { readonly inventory?: JsonObject };
  const stored = storedIn({ inventory, pluginData, numbers }, body);
  return moved(stored, [stored.inventory.buffer, stored.plugin_data.buffer]);
}

export function logs(bytes: SharedBytes): unknown {
  const reading = readReport(bytes, setup.depthLimit);
  const archive = reading.kind === 'read' ? logsIn(reading.report) : undefined;
  return archive && moved(archive, [archive.buffer]);
}

function handedOver(outcome: ReportOutcome): unknown {
  if (outcome.kind === 'failed') return outcome;
  const { inventory, plugin_data } = outcome.changes.stored;
  return moved(outcome, [inventory.buffer, plugin_data.buffer]);
}

/** `value` for the main thread; the buffers in it are handed over instead of copied. */
function moved(value: object, buffers: readonly ArrayBuffer[]): unknown {
  return move({
    get [transferableSymbol]() {
      return buffers;
    },
    get [valueSymbol]() {
      return value;
    },
  });
}
