// One BIOS setting of a node, as it was last seen.
import { field, type RecordOf, schema } from './fields.ts';

/** What the BIOS says of a setting beside its value; null where it says nothing. */
export type BiosRegistryEntry = {
  /** Enumeration, String, Integer, Boolean or Password. */
  readonly attribute_type: string | null;
  readonly allowable_values: readonly string[];
  readonly lower_bound: number | null;
  readonly upper_bound: number | null;
  readonly min_length: number | null;
  readonly max_length: number | null;
  readonly read_only: boolean | null;
  readonly reset_required: boolean | null;
  readonly unique: boolean | null;
};

export const unknownRegistryEntry: BiosRegistryEntry = {
  attribute_type: null,
  allowable_values: [],
  lower_bound: null,
  upper_bound: null,
  min_length: null,
  max_length: null,
  read_only: null,
  reset_required: null,
  unique: null,
};

export const biosSettingFields = {
  node_uuid: field(schema.uuid(), { since: 40, initial: '' }),
  name: field(schema.text(), { since: 40, initial: '' }),
  value: field(schema.textOrNull(), { since: 40, initial: null }),
  /** A BiosRegistryEntry. */
  registry: field(schema.object(), { since: 74, initial: unknownRegistryEntry }),
  created_at: field(schema.timeOrNull(), { since: 40, initial: null }),
  updated_at: field(schema.timeOrNull(), { since: 40, initial: null }),
} as const;

export type BiosSetting = RecordOf<typeof biosSettingFields>;
