// What an inspection reads and changes: plain data that the conductor and the threads of the hooks exchange.
import type { StoredInventory } from '../../db/tables/node-inventory.ts';
import type { SeenHardware } from '../../model/hardware/hardware.ts';
import type { Node, NodeChanges } from '../../model/records/node.ts';
import type { Rule } from '../../model/rules/inspection-rule.ts';
import type { PortDraft } from '#plugin-api';

/** The records as stored before hooks and rules run. */
export interface InspectedRecords {
  readonly node: Node;
  readonly ports: readonly PortDraft[];
  /** The rules in the order of creation. */
  readonly rules: readonly Rule[];
  /** JSON text; undefined before the first successful inspection, and when inventories are not stored. */
  readonly previousInventory: string | undefined;
  /** Whether auto-discovery created the node, for this report or for an earlier one that failed. */
  readonly isDiscovered: boolean;
}

export type PortChange = Partial<
  Pick<PortDraft, 'pxe_enabled' | 'extra' | 'local_link_connection' | 'physical_network'>
>;

/** What an inspection found: plain data to be stored in one transaction. */
export interface InspectionChanges {
  /** New values of the changed node fields, as a PATCH would store them. */
  readonly node: NodeChanges;
  /** The hook or rule that last changed each field, by field. */
  readonly authors: Readonly<Record<string, string>>;
  readonly addedPorts: readonly PortDraft[];
  readonly changedPorts: readonly { readonly uuid: string; readonly changes: PortChange }[];
  readonly removedPorts: readonly string[];
  /** The report in the form that is stored: JSON in UTF-8. Undefined when no report is to be stored. */
  readonly stored: StoredInventory<Uint8Array<ArrayBuffer>> | undefined;
  /**
   * What a report that was just made says of the hardware. `source`: `agent`, or the inspect interface that asked the BMC. Undefined
   * when earlier data are processed again.
   */
  readonly seen?: SeenHardware & { readonly source: string };
}

/** What a report changes. The report comes from a ramdisk, from an inspect interface or from the database. */
export interface ReportChanges extends InspectionChanges {
  readonly stored: StoredInventory<Uint8Array<ArrayBuffer>>;
  readonly hardware: SeenHardware;
}
