// A ramdisk's report becomes changes of its node's records: hooks first, then rules.
import { reasonOf } from '../daemon/model/faults.ts';
import type { Json } from '../daemon/model/json.ts';
import { maskSecrets } from '../daemon/model/secrets.ts';
import type { InspectionDraft, PortDraft } from '#plugin-api';
import { changesOf, type InspectedRecords, type InspectionChanges } from './inspection-changes.ts';
import { refuseUnfit } from './refuse-unfit.ts';
import type { Report } from './report.ts';
import { type LogLine, type Masking, type Rule, type RuleDraft, runRules } from './rules/run-rules.ts';
import { type NamedHook, runHooks } from './run-hooks.ts';

export type ReportOutcome = { readonly lines: readonly LogLine[] } & (
  | { readonly kind: 'changed'; readonly changes: InspectionChanges }
  | { readonly kind: 'failed'; readonly reason: string }
);

export interface Processing {
  readonly hooks: readonly NamedHook[];
  readonly configuration: InspectionDraft['configuration'];
  readonly masking: Masking;
  readonly builtInRules: readonly Rule[];
}

export async function processReport(
  processing: Processing,
  report: Report,
  records: InspectedRecords,
): Promise<ReportOutcome> {
  const lines: LogLine[] = [];
  const log = (level: LogLine['level'], message: string) => lines.push({ level, message });
  const draft = draftOf(report, records, processing.configuration, (message) => log('warn', message));
  const reason = runHooks(processing.hooks, draft);
  if (reason !== undefined) return { kind: 'failed', reason, lines };
  try {
    const ruled = await applyRules(processing, draft, records, log);
    return { kind: 'changed', changes: changesOf(records, ruled.node, draft, report), lines };
  } catch (error) {
    return { kind: 'failed', reason: reasonOf(error), lines };
  }
}

function draftOf(
  { inventory, pluginData }: Report,
  { node, ports }: InspectedRecords,
  configuration: InspectionDraft['configuration'],
  warn: InspectionDraft['warn'],
): InspectionDraft {
  return {
    inventory: deepFreeze(inventory),
    pluginData: { ...pluginData },
    node: {
      uuid: node.uuid,
      driver_info: maskSecrets(node.driver_info),
      properties: { ...node.properties },
      extra: { ...node.extra },
    },
    ports: ports.map((port) => structuredClone(port)),
    configuration,
    warn,
  };
}

/** The node as the rules leave it; ports and plugin data are changed in the draft. Throws InspectionError. */
async function applyRules(
  { masking, builtInRules }: Processing,
  draft: InspectionDraft,
  records: InspectedRecords,
  log: RuleDraft['log'],
): Promise<RuleDraft> {
  const { properties, extra } = draft.node;
  const ruled: RuleDraft = {
    node: { ...records.node, properties, extra },
    ports: draft.ports.map((port) => ({ ...port })),
    pluginData: draft.pluginData,
    log,
  };
  await runRules([...records.rules, ...builtInRules], ruled, draft.inventory, masking);
  Object.assign(draft, { pluginData: ruled.pluginData, ports: ruled.ports as unknown as PortDraft[] });
  refuseUnfit(draft);
  return ruled;
}

function deepFreeze<T extends Json>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) deepFreeze(child);
  }
  return value;
}
