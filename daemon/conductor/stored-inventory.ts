// What the last successful inspection of a node has left.
import type { StoredInventory } from '../db/tables/node-inventory.ts';
import { fault } from '../model/faults.ts';
import type { Services } from './services.ts';

/** Throws NodeInventoryNotFound before the first one, and when inventories are not kept. */
export function storedInventory({ db, config }: Services, uuid: string): StoredInventory {
  const stored = config.inventory.data_backend === 'database' ? db.inventory.get(uuid) : undefined;
  if (stored === undefined) throw fault('NodeInventoryNotFound', { node: uuid });
  return stored;
}
