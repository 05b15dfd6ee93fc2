// Runs inspection rules on a node, after the hooks.
import type { Rule } from '../../daemon/model/rules/inspection-rule.ts';
import type { JsonObject } from '../../daemon/model/json.ts';
import { InspectionError } from '#plugin-api';
import { act } from './actions.ts';
import { holds } from './conditions.ts';
import type { Filling, Scope } from './fill-in.ts';
import type { RuleDraft } from './rule-draft.ts';

/** Values of `[inspection_rules] mask_secrets`; `sensitive`: only rules marked as sensitive can read secrets. */
export type Masking = 'always' | 'never' | 'sensitive';

/** Runs the rules from the highest priority down; equal priorities keep their order. Throws InspectionError. */
export async function runRules(
  rules: readonly Rule[],
  draft: RuleDraft,
  inventory: JsonObject,
  masking: Masking,
): Promise<void> {
  for (const rule of rules.toSorted((a, b) => b.priority - a.priority)) {
    await runRule(rule, draft, () => ({
      scope: { node: draft.node, inventory, plugin_data: draft.pluginData } satisfies Scope,
      masked: masking === 'always' || (masking === 'sensitive' && !rule.sensitive),
      warn: (message) => draft.log('warn', `${nameOf(rule)}: ${message}`),
    }));
  }
}

async function runRule(rule: Rule, draft: RuleDraft, filling: () => Filling): Promise<void> {
  let at = 'its conditions';
  try {
    for (const [index, condition] of rule.conditions.entries()) {
      at = `condition ${index + 1} (${condition.op})`;
      if (!holds(condition, filling())) return;
    }
    for (const [index, action] of rule.actions.entries()) {
      at = `action ${index + 1} (${action.op})`;
      await act(action, draft, filling);
      draft.take(`${nameOf(rule)}, ${at}`);
    }
  } catch (error) {
    if (error instanceof InspectionError)
      throw new InspectionError(`${nameOf(rule)}, ${at}: ${error.message}`);
    throw error;
  }
}

const nameOf = ({ uuid, description }: Rule): string =>
  `Inspection rule ${uuid}${description === null || description === '' ? '' : ` (${description})`}`;
