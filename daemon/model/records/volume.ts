// Volume connectors, with which a node connects to storage, and volume targets, the volumes it uses.
import { typed } from '../../lib/json/typed-schema.ts';
import { field, type RecordOf, schema } from './fields.ts';

const writable = { create: true, update: true } as const;
const SINCE = 32;
const text = () =>
  field(schema.text({ minLength: 1, maxLength: 255 }), { since: SINCE, initial: '', ...writable });
const common = {
  uuid: field(schema.uuid(), { since: SINCE, create: true, initial: '' }),
  node_uuid: field(schema.uuid(), { since: SINCE, initial: '', ...writable }),
  extra: field(schema.object(), { since: SINCE, initial: {}, ...writable }),
  created_at: field(schema.timeOrNull(), { since: SINCE, initial: null }),
  updated_at: field(schema.timeOrNull(), { since: SINCE, initial: null }),
} as const;

export const volumeConnectorFields = { ...common, type: text(), connector_id: text() } as const;
export type VolumeConnector = RecordOf<typeof volumeConnectorFields>;
export const volumeConnectorSummary = ['uuid', 'node_uuid', 'type', 'connector_id'] as const;

export const volumeTargetFields = {
  ...common,
  volume_type: text(),
  volume_id: text(),
  boot_index: field(typed<number>({ type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }), {
    since: SINCE,
    initial: 0,
    ...writable,
  }),
  properties: field(schema.object(), { since: SINCE, initial: {}, ...writable }),
} as const;
export type VolumeTarget = RecordOf<typeof volumeTargetFields>;
export const volumeTargetSummary = ['uuid', 'node_uuid', 'volume_type', 'boot_index', 'volume_id'] as const;
