// The `cpus` hook: sets properties/cpus to the number of logical processors.
import { defineHook, isJsonObject } from '#plugin-api';
import { shown } from './shown.ts';

export const cpus = defineHook({
  call(draft) {
    const { inventory, node } = draft;
    const count = isJsonObject(inventory['cpu']) ? inventory['cpu']['count'] : undefined;
    const isCount = typeof count === 'number' || (typeof count === 'string' && /^\d+$/.test(count));
    const number = isCount ? Number(count) : 0;
    if (Number.isSafeInteger(number) && number > 0) node.properties['cpus'] = number;
    else draft.warn(`Number of CPUs unchanged: the inventory's cpu.count is ${shown(count)}.`);
  },
});
