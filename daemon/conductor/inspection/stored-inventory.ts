// The inventory stored by a node's last successful inspection.
import type { Config } from '../../config/sections/core-sections.ts';
import type { StoredInventory } from '../../db/tables/node-inventory.ts';
import { fault } from '../../model/faults.ts';
import type { InspectionServices } from './services.ts';

export const keepsInventories = ({ config }: { readonly config: Pick<Config, 'inventory'> }): boolean =>
  config.inventory.data_backend === 'database';

/** Throws NodeInventoryNotFound before the first successful inspection, and when inventories are not stored. */
export function storedInventory(services: InspectionServices, uuid: string): StoredInventory {
  const stored = keepsInventories(services) ? services.db.inventory.get(uuid) : undefined;
  if (stored === undefined) throw fault('NodeInventoryNotFound', { node: uuid });
  return stored;
}
