// The node_inventory table: what the last successful inspection of a node found.
import type { Connection } from '../open.ts';

/** Both as JSON text: they are written by the hook workers and passed on as they are. */
export interface StoredInventory {
  readonly inventory: string;
  readonly plugin_data: string;
}

export type NodeInventoryTable = ReturnType<typeof createNodeInventoryTable>;

export function createNodeInventoryTable(connection: Connection) {
  const put = connection.prepare(
    `INSERT INTO node_inventory (node_uuid, created_at, inventory, plugin_data) VALUES (?, ?, ?, ?)
     ON CONFLICT (node_uuid) DO UPDATE SET
       created_at = excluded.created_at, inventory = excluded.inventory, plugin_data = excluded.plugin_data`,
  );
  const get = connection.prepare('SELECT inventory, plugin_data FROM node_inventory WHERE node_uuid = ?');
  return {
    /** Replaces what an earlier inspection stored. */
    put: (nodeUuid: string, createdAt: string, stored: StoredInventory): void => {
      put.run(nodeUuid, createdAt, stored.inventory, stored.plugin_data);
    },
    get: (nodeUuid: string) => get.get(nodeUuid) as StoredInventory | undefined,
  };
}
