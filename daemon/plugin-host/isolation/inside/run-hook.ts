// Runs an inspection hook in its plugin's process, on a draft that came as bytes.
import { deepFreeze } from '../../../lib/json/deep-freeze.ts';
import { examinable, reasonOf } from '../../../model/faults.ts';
import {
  type Configuration,
  type InspectionDraft,
  InspectionError,
  type InspectionHook,
} from '../../../plugin-api/index.ts';
import { createDraftCheck } from '../../contract/draft-check.ts';
import type { HookPhase } from '../../hook-phases.ts';
import { draftIn, resultBytes } from '../border/draft-traffic.ts';

/** How many warnings of one phase are sent to the daemon: one more than it logs. */
const MOST_WARNINGS = 101;
const LONGEST_WARNING = 1000;

interface Wanted {
  readonly hook: InspectionHook;
  readonly phase: HookPhase;
  readonly configuration: Configuration;
}

export function runHook({ hook, phase, configuration }: Wanted, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const warnings: string[] = [];
  const { inventory, previousInventory, pluginData, node, ports } = draftIn(bytes);
  const draft: InspectionDraft = {
    inventory: deepFreeze(inventory),
    previousInventory: deepFreeze(previousInventory),
    pluginData: Object.fromEntries(
      Object.entries(pluginData).map(([key, value]) => [key, deepFreeze(value)]),
    ),
    node,
    ports,
    configuration,
    // a plugin in plain JavaScript may pass anything
    warn(message: unknown) {
      if (warnings.length < MOST_WARNINGS) warnings.push(String(message).slice(0, LONGEST_WARNING));
    },
  };
  const before = { ...draft.pluginData };
  // checked in this process, because JSON would lose values that cannot be stored
  const refuseUnfit = createDraftCheck(draft);
  try {
    const result: unknown = hook[phase]?.(draft);
    if (result instanceof Promise) {
      result.catch(() => undefined);
      throw new InspectionError('the hook returned a promise; hooks must be synchronous');
    }
    refuseUnfit();
    return resultBytes({ kind: 'changed', warnings, ...changes(draft, before) });
  } catch (error) {
    return resultBytes({ ...failure(examinable(error)), warnings });
  }
}

function changes({ node, ports, pluginData }: InspectionDraft, before: InspectionDraft['pluginData']) {
  const set = Object.entries(pluginData).filter(([key, value]) => before[key] !== value);
  const deleted = Object.keys(before).filter((key) => !Object.hasOwn(pluginData, key));
  return { node, ports, set: Object.fromEntries(set), deleted };
}

function failure(error: unknown) {
  if (error instanceof InspectionError) return { kind: 'refused', message: error.message } as const;
  const name = error instanceof Error ? error.name : typeof error;
  return { kind: 'unforeseen', name, message: reasonOf(error) } as const;
}
