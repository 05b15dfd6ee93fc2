// The inspection rule: actions for machines whose inspection data meets conditions.
import { typed } from '../../lib/json/typed-schema.ts';
import type { Json } from '../json.ts';
import { field, type RecordOf, schema } from '../records/fields.ts';
import { maskSecrets } from '../secrets.ts';
import type { RuleAction, RuleCondition } from './rule-parts.ts';

const writable = { create: true, update: true } as const;
const SINCE = 96;
// the command line client sends the number as a string
const priority = typed<number>({
  anyOf: [
    { type: 'integer', minimum: 0, maximum: 9999 },
    { type: 'string', pattern: '^[0-9]{1,4}$' },
  ],
});
const parts = { items: { type: 'object' } };
// null is shown for sensitive rules
const shownParts = { type: ['array', 'null'], ...parts };

export const inspectionRuleFields = {
  uuid: field(schema.uuid(), { since: SINCE, create: true, initial: '' }),
  description: field(schema.textOrNull({ maxLength: 255 }), { since: SINCE, initial: null, ...writable }),
  phase: field(typed<'main'>({ type: 'string', enum: ['main'] }), {
    since: SINCE,
    initial: 'main',
    ...writable,
  }),
  /** Rules of higher priority run first. */
  priority: field(priority, { since: SINCE, initial: 0, ...writable }),
  /** Whether the API and events hide the rule's conditions and actions. */
  sensitive: field(schema.flag(), { since: SINCE, initial: false, ...writable }),
  // the command line client sends null for no conditions
  conditions: field(typed<readonly RuleCondition[]>({ type: ['array', 'null'], ...parts }), {
    since: SINCE,
    initial: [],
    shown: shownParts,
    ...writable,
  }),
  actions: field(typed<readonly RuleAction[]>({ type: 'array', minItems: 1, ...parts }), {
    since: SINCE,
    initial: [],
    shown: shownParts,
    ...writable,
  }),
  created_at: field(schema.timeOrNull(), { since: SINCE, initial: null }),
  updated_at: field(schema.timeOrNull(), { since: SINCE, initial: null }),
} as const;

export type InspectionRule = RecordOf<typeof inspectionRuleFields>;
/** The fields of a rule that are needed to run it. */
export type Rule = Pick<
  InspectionRule,
  'uuid' | 'description' | 'priority' | 'sensitive' | 'conditions' | 'actions'
>;
export const inspectionRuleSummary = ['uuid', 'description', 'priority', 'phase'] as const;

/** Returns the rule as clients may see it: without conditions and actions if it is sensitive, otherwise with secrets masked. */
export const visibleRule = (rule: InspectionRule) => ({
  ...rule,
  conditions: rule.sensitive ? null : maskSecrets(rule.conditions as unknown as Json),
  actions: rule.sensitive ? null : maskSecrets(rule.actions as unknown as Json),
});
