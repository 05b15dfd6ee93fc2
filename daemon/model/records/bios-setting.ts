// One BIOS setting of a node, as last read from the machine.
import type { Schema } from '../../lib/json/typed-schema.ts';
import { field, type FieldTable, type RecordOf, schema } from './fields.ts';

/** How the BIOS describes a setting. Properties that it does not provide are null; `allowable_values` is then an empty list. */
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

const REGISTRY_SINCE = 74;
const registryField = <T>(registrySchema: Schema<T | null>) =>
  field(registrySchema, { since: REGISTRY_SINCE, initial: null });

export const biosSettingFields = {
  node_uuid: field(schema.uuid(), { since: 40, initial: '' }),
  name: field(schema.text(), { since: 40, initial: '' }),
  value: field(schema.textOrNull(), { since: 40, initial: null }),
  /** A BiosRegistryEntry. */
  registry: field(schema.object(), { since: REGISTRY_SINCE, initial: unknownRegistryEntry }),
  created_at: field(schema.timeOrNull(), { since: 40, initial: null }),
  updated_at: field(schema.timeOrNull(), { since: 40, initial: null }),
} as const;

/** The fields that the API shows; they include those of the registry entry. */
export const shownBiosSettingFields: FieldTable = {
  name: biosSettingFields.name,
  value: biosSettingFields.value,
  attribute_type: registryField(schema.textOrNull()),
  allowable_values: field(schema.texts(), { since: REGISTRY_SINCE, initial: [] }),
  lower_bound: registryField(schema.integerOrNull()),
  upper_bound: registryField(schema.integerOrNull()),
  min_length: registryField(schema.integerOrNull()),
  max_length: registryField(schema.integerOrNull()),
  read_only: registryField(schema.flagOrNull()),
  reset_required: registryField(schema.flagOrNull()),
  unique: registryField(schema.flagOrNull()),
  created_at: biosSettingFields.created_at,
  updated_at: biosSettingFields.updated_at,
};

export type BiosSetting = RecordOf<typeof biosSettingFields>;
