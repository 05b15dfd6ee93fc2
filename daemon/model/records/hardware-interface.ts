// One interface that a conductor offers for a hardware type.
import { field, type RecordOf, schema } from './fields.ts';

export const hardwareInterfaceFields = {
  hostname: field(schema.text(), { since: 1, initial: '' }),
  hardware_type: field(schema.text(), { since: 1, initial: '' }),
  interface_type: field(schema.text(), { since: 1, initial: '' }),
  interface_name: field(schema.text(), { since: 1, initial: '' }),
  /** Whether this is the interface of nodes that choose none. */
  is_default: field(schema.flag(), { since: 1, initial: false }),
} as const;

export type HardwareInterface = RecordOf<typeof hardwareInterfaceFields>;
