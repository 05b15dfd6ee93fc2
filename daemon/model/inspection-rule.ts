// The inspection rule: what to do with a machine whose inspection data meets conditions.
import { typed } from '../lib/typed-schema.ts';
import { field, type RecordOf, schema } from './fields.ts';
import type { JsonObject } from './json.ts';

const writable = { create: true, update: true } as const;
const SINCE = 96;
const objects = (minItems: number) =>
  typed<readonly JsonObject[]>({ type: 'array', minItems, items: { type: 'object' } });

export const inspectionRuleFields = {
  uuid: field(schema.uuid(), { since: SINCE, create: true, initial: '' }),
  description: field(schema.textOrNull({ maxLength: 255 }), { since: SINCE, initial: null, ...writable }),
  phase: field(typed<'main'>({ type: 'string', enum: ['main'] }), {
    since: SINCE,
    initial: 'main',
    ...writable,
  }),
  priority: field(typed<number>({ type: 'integer', minimum: 0, maximum: 9999 }), {
    since: SINCE,
    initial: 0,
    ...writable,
  }),
  sensitive: field(schema.flag(), { since: SINCE, initial: false, ...writable }),
  conditions: field(objects(0), { since: SINCE, initial: [], ...writable }),
  actions: field(objects(1), { since: SINCE, initial: [], ...writable }),
  created_at: field(schema.timeOrNull(), { since: SINCE, initial: null }),
  updated_at: field(schema.timeOrNull(), { since: SINCE, initial: null }),
} as const;

export type InspectionRule = RecordOf<typeof inspectionRuleFields>;
export const inspectionRuleSummary = ['uuid', 'description', 'priority', 'phase'] as const;
