// Reads the records that processing a node's inspection data starts from.
import { keepsInventories } from './stored-inventory.ts';
import type { Config } from '../../config/sections/core-sections.ts';
import type { Tables } from '../../db/database.ts';
import type { Node } from '../../model/records/node.ts';
import type { InspectedRecords } from './changes.ts';

interface Source {
  readonly db: Pick<Tables, 'ports' | 'inspectionRules' | 'inventory'>;
  readonly config: Pick<Config, 'inventory'>;
}

export function recordsOf(source: Source, node: Node, isDiscovered: boolean): InspectedRecords {
  const { db } = source;
  return {
    node,
    rules: db.inspectionRules.where({ sql: 'phase = ?', values: ['main'] }),
    ports: db.ports
      .ofNode(node.uuid)
      .map(({ uuid, address, pxe_enabled, extra, local_link_connection, physical_network }) => ({
        uuid,
        address,
        pxe_enabled,
        extra,
        local_link_connection,
        physical_network,
      })),
    isDiscovered,
    previousInventory: keepsInventories(source) ? db.inventory.inventoryOf(node.uuid) : undefined,
  };
}
