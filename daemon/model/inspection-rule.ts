// The inspection rule: what to do with a machine whose inspection data meets conditions.
import { typed } from '../lib/typed-schema.ts';
import { field, type RecordOf, schema } from './fields.ts';
import type { Action, Condition } from './rule-parts.ts';

const writable = { create: true, update: true } as const;
const SINCE = 96;
// the command line client writes the number in digits
const priority = typed<number>({
  anyOf: [
    { type: 'integer', minimum: 0, maximum: 9999 },
    { type: 'string', pattern: '^[0-9]{1,4}$' },
  ],
});
const parts = <T>(minItems: number) =>
  typed<readonly T[]>({ type: 'array', minItems, items: { type: 'object' } });

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
  /** Conditions and actions are never shown. */
  sensitive: field(schema.flag(), { since: SINCE, initial: false, ...writable }),
  conditions: field(parts<Condition>(0), { since: SINCE, initial: [], ...writable }),
  actions: field(parts<Action>(1), { since: SINCE, initial: [], ...writable }),
  created_at: field(schema.timeOrNull(), { since: SINCE, initial: null }),
  updated_at: field(schema.timeOrNull(), { since: SINCE, initial: null }),
} as const;

export type InspectionRule = RecordOf<typeof inspectionRuleFields>;
export const inspectionRuleSummary = ['uuid', 'description', 'priority', 'phase'] as const;
