// The node_inventory table: the result of each node's last successful inspection.
import type { Connection } from '../open.ts';

/** Both fields are JSON text, stored unchanged. */
export interface StoredInventory<Text = string> {
  readonly inventory: Text;
  readonly plugin_data: Text;
}

export type NodeInventoryTable = ReturnType<typeof createNodeInventoryTable>;

export function createNodeInventoryTable(connection: Connection) {
  const put = connection.prepare(
    `INSERT INTO node_inventory (node_uuid, created_at, inventory, plugin_data) VALUES (?, ?, CAST(? AS TEXT), CAST(? AS TEXT))
     ON CONFLICT (node_uuid) DO UPDATE SET
       created_at = excluded.created_at, inventory = excluded.inventory, plugin_data = excluded.plugin_data`,
  );
  const get = connection.prepare('SELECT inventory, plugin_data FROM node_inventory WHERE node_uuid = ?');
  const inventory = connection.prepare('SELECT inventory FROM node_inventory WHERE node_uuid = ?').pluck();
  const vendor = connection
    .prepare(`SELECT json_extract(inventory, '$.system_vendor') FROM node_inventory WHERE node_uuid = ?`)
    .pluck();
  const diskContents = connection
    .prepare(`SELECT json_extract(plugin_data, '$.disk_contents') FROM node_inventory WHERE node_uuid = ?`)
    .pluck();
  const serials = connection.prepare(
    `SELECT node_uuid AS node, json_extract(inventory, '$.system_vendor.serial_number') AS serial FROM node_inventory
     WHERE json_valid(inventory)`,
  );
  const lldp = connection.prepare(
    `SELECT node_uuid AS node, plugin_data -> '$.parsed_lldp' AS lldp FROM node_inventory
     WHERE node_uuid IN (SELECT value FROM json_each(?)) AND lldp IS NOT NULL`,
  );
  return {
    /** Returns what the switches of the nodes announced, by network interface, as JSON; only nodes that heard a switch. */
    lldpOf: (nodes: readonly string[]) =>
      lldp.all(JSON.stringify(nodes)) as readonly { readonly node: string; readonly lldp: string }[],
    /** Returns the serial numbers of inspected machines; null where the inventory has none. */
    serials: () => serials.all() as readonly { readonly node: string; readonly serial: string | null }[],
    /** Stores the result of an inspection in place of an earlier one. A Uint8Array contains JSON text in UTF-8. */
    put: (nodeUuid: string, createdAt: string, stored: StoredInventory<string | Uint8Array>): void => {
      put.run(nodeUuid, createdAt, stored.inventory, stored.plugin_data);
    },
    get: (nodeUuid: string) => get.get(nodeUuid) as StoredInventory | undefined,
    /**
     * Returns the inventory's system_vendor (manufacturer, product name, serial number) as JSON; null if the inventory has none,
     * undefined if there is no inventory.
     */
    vendorOf: (nodeUuid: string) => vendor.get(nodeUuid) as string | null | undefined,
    /** Returns what the agent found on the disks, as JSON; null or undefined if nothing has looked. */
    diskContentsOf: (nodeUuid: string) => diskContents.get(nodeUuid) as string | null | undefined,
    inventoryOf: (nodeUuid: string) => inventory.get(nodeUuid) as string | undefined,
  };
}
