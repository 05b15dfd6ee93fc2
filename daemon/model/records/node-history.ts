// One entry of a node's history.
import { field, type RecordOf, schema } from './fields.ts';
import { typed } from '../../lib/json/typed-schema.ts';

export const historyFields = {
  uuid: field(schema.uuid(), { since: 78, initial: '' }),
  node_uuid: field(schema.uuid(), { since: 78, initial: '' }),
  created_at: field(schema.text(), { since: 78, initial: '' }),
  severity: field(typed<'ERROR' | 'INFO'>({ type: 'string' }), { since: 78, initial: 'INFO' }),
  event: field(schema.text(), { since: 78, initial: '' }),
  event_type: field(schema.text(), { since: 78, initial: '' }),
  conductor: field(schema.text(), { since: 78, initial: '' }),
  user: field(schema.textOrNull(), { since: 78, initial: null }),
  /** Always null, because there are no projects. */
  project: field(schema.textOrNull(), { since: 113, initial: null, computed: true }),
  state: field(schema.text(), { since: 115, initial: '' }),
  target_provision_state: field(schema.textOrNull(), { since: 115, initial: null }),
  duration_seconds: field(schema.integerOrNull(), { since: 115, initial: null }),
} as const;

export type NodeHistory = Omit<RecordOf<typeof historyFields>, 'project'>;
export const historySummary = ['uuid', 'created_at', 'severity', 'event'] as const;
