// The `raid-device` hook: if the node has no root device hints and exactly one disk is new since the previous inspection, sets the
// hints to the serial number of that disk.
import { defineHook, type JsonObject } from '#plugin-api';
import { disksOf } from './disks.ts';

export const raidDevice = defineHook({
  call(draft) {
    const { inventory, node, previousInventory } = draft;
    if (node.properties['root_device'] !== undefined || previousInventory === undefined) return;
    const current = serialsIn(inventory);
    if (current.length === 0) {
      draft.warn('Cannot look for a new RAID device: no disk in the inventory has a serial number.');
      return;
    }
    const previous = new Set(serialsIn(previousInventory));
    const fresh = current.filter((serial) => !previous.has(serial));
    const [serial] = fresh;
    if (serial !== undefined && fresh.length === 1) node.properties['root_device'] = { serial };
    else
      draft.warn(
        `No root device set: ${fresh.length} disks are new since the previous inspection, expected 1.`,
      );
  },
});

const serialsIn = (inventory: JsonObject): readonly string[] => [
  ...new Set(
    disksOf(inventory)
      .map(({ serial }) => serial)
      .filter((serial): serial is string => typeof serial === 'string' && serial !== ''),
  ),
];
