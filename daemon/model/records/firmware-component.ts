// One firmware component of a node's machine (bios, bmc, nic:...), as last read from the machine.
import { field, type FieldTable, type RecordOf, schema } from './fields.ts';

const text = (since: number) => field(schema.textOrNull(), { since, initial: null });

export const firmwareComponentFields = {
  node_uuid: field(schema.uuid(), { since: 86, initial: '' }),
  component: field(schema.text(), { since: 86, initial: '' }),
  /** The first version that was read. */
  initial_version: field(schema.text(), { since: 86, initial: '' }),
  current_version: field(schema.text(), { since: 86, initial: '' }),
  last_version_flashed: text(86),
  vendor: text(114),
  model: text(114),
  serial_number: text(114),
  created_at: field(schema.timeOrNull(), { since: 86, initial: null }),
  updated_at: field(schema.timeOrNull(), { since: 86, initial: null }),
} as const;

const { node_uuid: _, ...shown } = firmwareComponentFields;
/** The fields that the API shows. */
export const shownFirmwareFields: FieldTable = shown;

export type FirmwareComponent = RecordOf<typeof firmwareComponentFields>;
