// Turns a ramdisk's report into changes of its node's records: runs the hooks, then the rules.
import type { Rule } from '../../daemon/model/rules/inspection-rule.ts';
import { reasonOf } from '../../daemon/model/faults.ts';
import { createDraftCheck, refuseUnfitPorts } from '../../daemon/plugin-host/contract/draft-check.ts';
import { unmaskedFields } from '../../daemon/plugin-host/contract/node-draft.ts';
import type { Configuration, InspectionDraft, PortDraft } from '#plugin-api';
import { createDraft } from './draft.ts';
import type { InspectedRecords } from '../../daemon/conductor/inspection/changes.ts';
import type { LogLine, ReportOutcome } from '../../daemon/conductor/inspection/report-processor.ts';
import { changesOf } from './changes-of-draft.ts';
import { NodeEdit } from './node-edit.ts';
import type { Report } from './report.ts';
import { callApi } from '../rules/api-call.ts';
import type { RuleDraft } from '../rules/rule-draft.ts';
import { type Masking, runRules } from '../rules/run-rules.ts';
import { type NamedHook, runHooks } from './run-hooks.ts';

export interface Processing {
  readonly hooks: readonly NamedHook[];
  readonly configuration: Configuration;
  readonly masking: Masking;
  readonly builtInRules: readonly Rule[];
  /** Whether rules must not call other services, because the changes will not be stored. */
  readonly isDryRun: boolean;
}

export async function processReport(
  processing: Processing,
  report: Report,
  records: InspectedRecords,
): Promise<ReportOutcome> {
  const { log, lines } = createLines();
  const draft = createDraft(report, records, processing.configuration, (message) => log('warn', message));
  const edit = new NodeEdit(records.node);
  const refuseUnfit = createDraftCheck(draft);
  try {
    await runHooks(processing.hooks, draft, (author) => {
      refuseUnfit();
      edit.take(author, unmaskedFields(records.node, draft.node));
    });
    const ruled = await applyRules(processing, { draft, records, edit }, log);
    return { kind: 'changed', changes: changesOf(records, edit, ruled, report), lines: lines() };
  } catch (error) {
    return { kind: 'failed', reason: reasonOf(error), lines: lines() };
  }
}

const MAX_LINES = 100;
const MAX_LINE_LENGTH = 1000;

/** Keeps the first hundred lines and counts the rest, because a ramdisk may cause any number of lines. */
function createLines(): { readonly log: RuleDraft['log']; readonly lines: () => readonly LogLine[] } {
  const kept: LogLine[] = [];
  let more = 0;
  return {
    log(level, message) {
      if (kept.length < MAX_LINES) kept.push({ level, message: message.slice(0, MAX_LINE_LENGTH) });
      else more += 1;
    },
    lines: () =>
      more === 0
        ? kept
        : [...kept, { level: 'warn', message: `${more} more lines of hooks and rules are not logged` }],
  };
}

interface Hooked {
  readonly draft: InspectionDraft;
  readonly records: InspectedRecords;
  readonly edit: NodeEdit;
}

/** Returns ports and plugin data as the rules left them; changes of the node go to `edit`. Throws InspectionError. */
async function applyRules(
  { masking, builtInRules, isDryRun }: Processing,
  { draft, records, edit }: Hooked,
  log: RuleDraft['log'],
): Promise<Pick<InspectionDraft, 'ports' | 'pluginData'>> {
  const addresses = new Map(records.ports.map(({ uuid, address }) => [uuid, address]));
  const ruled: RuleDraft = {
    node: { ...edit.node },
    ports: draft.ports.map((port) => ({ ...port })),
    pluginData: draft.pluginData,
    log,
    callApi: isDryRun ? (url) => log('info', `api-call to ${url}: not made in a dry run`) : callApi,
    take(author) {
      edit.take(author, ruled.node);
      ruled.node = { ...edit.node };
      refuseUnfitPorts(ruled.ports, addresses);
    },
  };
  await runRules([...records.rules, ...builtInRules], ruled, draft.inventory, masking);
  return { ports: ruled.ports as unknown as PortDraft[], pluginData: ruled.pluginData };
}
