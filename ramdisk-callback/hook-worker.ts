// The worker thread: parses what ramdisks post and runs hooks and rules on it, so that the main thread does neither.
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import { resolvePluginApi } from '../daemon/plugin-host/resolve-plugin-api.ts';
import type { HookReference } from '../daemon/plugin-host/hooks.ts';
import type { HookConfiguration, InspectionHook } from '#plugin-api';
import type { SharedBytes } from './hook-pool.ts';
import { type InspectedRecords, storedIn } from './inspection-changes.ts';
import { processReport } from './process-report.ts';
import { addressesOf, logsIn, readBody, readReport } from './report.ts';
import type { NamedHook } from './run-hooks.ts';
import type { Masking, Rule } from './rules/run-rules.ts';

export interface WorkerSetup {
  readonly hooks: readonly HookReference[];
  readonly configuration: HookConfiguration;
  readonly depthLimit: number;
  readonly masking: Masking;
  /** null: there are none. */
  readonly builtInRules: string | null;
}

export type Identification =
  | ({ readonly kind: 'identified' } & ReturnType<typeof addressesOf>)
  | {
      readonly kind: 'refused';
      readonly code: 'BodyTooDeep' | 'InvalidBody' | 'InvalidSchema';
      readonly reason: string;
    };

const setup = workerData as WorkerSetup;
resolvePluginApi();
const hooks = Promise.all(setup.hooks.map(loadHook));

async function loadHook({ name, url, exported }: HookReference): Promise<NamedHook> {
  const module = (await import(url)) as Readonly<Record<string, InspectionHook>>;
  return { name, hook: module[exported] ?? {} };
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
  const { configuration, masking } = setup;
  const processing = { hooks: await hooks, configuration, masking, builtInRules: await builtInRules() };
  const outcome = await processReport(processing, reading.report, records);
  if (outcome.kind === 'failed') return outcome;
  const { inventory, plugin_data } = outcome.changes.stored;
  return moved(outcome, [inventory.buffer, plugin_data.buffer]);
}

async function builtInRules(): Promise<readonly Rule[]> {
  if (setup.builtInRules === null) return [];
  const { readBuiltInRules } = await import('./rules/built-in-rules.ts');
  return readBuiltInRules(setup.builtInRules);
}

/** A report that somebody else has processed, as the database keeps it. Throws when it is none. */
export function split(bytes: SharedBytes): unknown {
  const reading = readBody(bytes, setup.depthLimit);
  if (reading.kind === 'refused') throw new Error(reading.reason);
  const stored = storedIn(reading.body);
  return moved(stored, [stored.inventory.buffer, stored.plugin_data.buffer]);
}

export function logs(bytes: SharedBytes): unknown {
  const reading = readReport(bytes, setup.depthLimit);
  const archive = reading.kind === 'read' ? logsIn(reading.report) : undefined;
  return archive && moved(archive, [archive.buffer]);
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
