// The `memory` hook: properties/memory_mb from the inventory.
import { defineHook, InspectionError, isJsonObject } from '#plugin-api';
import { shown } from './shown.ts';

export const memory = defineHook({
  call(draft) {
    const { inventory, node } = draft;
    const found = isJsonObject(inventory['memory']) ? inventory['memory']['physical_mb'] : undefined;
    if (found === null) {
      draft.warn('Memory size unchanged: the ramdisk could not find it out.');
    } else if (typeof found === 'number' && Number.isSafeInteger(found) && found >= 0) {
      node.properties['memory_mb'] = found;
    } else {
      throw new InspectionError(
        `Invalid inventory: memory.physical_mb is ${shown(found)}, expected a number of MiB`,
      );
    }
  },
});
