// The `memory` hook: sets properties/memory_mb from the inventory.
import { defineHook, InspectionError, isJsonObject } from '#plugin-api';
import { shown } from './shown.ts';

export const memory = defineHook({
  call(draft) {
    const { inventory, node } = draft;
    const found = isJsonObject(inventory['memory']) ? inventory['memory']['physical_mb'] : undefined;
    if (found === undefined) {
      throw new InspectionError('Invalid inventory: memory.physical_mb is missing, expected a number of MiB');
    }
    const isNumber = typeof found === 'number' || (typeof found === 'string' && /^\d+$/.test(found));
    const size = isNumber ? Number(found) : -1;
    if (Number.isSafeInteger(size) && size >= 0) node.properties['memory_mb'] = size;
    else
      draft.warn(
        `Memory size unchanged: the inventory's memory.physical_mb is ${shown(found)}, expected a number of MiB.`,
      );
  },
});
