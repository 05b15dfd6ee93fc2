// The worker thread: parses what ramdisks post and runs the hooks on it, so that the main thread does neither.
import { workerData } from 'piscina';
import { resolvePluginApi } from '../daemon/plugin-host/resolve-plugin-api.ts';
import type { HookReference } from '../daemon/plugin-host/registry.ts';
import type { InspectionDraft, InspectionHook } from '#plugin-api';
import { addressesOf, readReport } from './report.ts';
import { type HookInput, type HookOutcome, type NamedHook, runHooks } from './run-hooks.ts';

export interface WorkerSetup {
  readonly hooks: readonly HookReference[];
  readonly configuration: InspectionDraft['configuration'];
  readonly depthLimit: number;
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
export function identify(bytes: Uint8Array): Identification {
  const reading = readReport(bytes, setup.depthLimit);
  return reading.kind === 'refused' ? reading : { kind: 'identified', ...addressesOf(reading.report) };
}

export async function inspect({
  bytes,
  input,
}: {
  readonly bytes: Uint8Array;
  readonly input: HookInput;
}): Promise<HookOutcome> {
  const reading = readReport(bytes, setup.depthLimit);
  if (reading.kind === 'refused') return { kind: 'failed', reason: reading.reason, warnings: [] };
  return runHooks(await hooks, setup.configuration, reading.report, input);
}
