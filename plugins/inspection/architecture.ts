// The `architecture` hook: sets properties/cpu_arch from the inventory.
import { defineHook, InspectionError, isJsonObject } from '#plugin-api';
import { shown } from './shown.ts';

const ARCHITECTURE = /^[\w.-]{0,64}$/;

export const architecture = defineHook({
  call(draft) {
    const { cpu } = draft.inventory;
    const { properties } = draft.node;
    const name = isJsonObject(cpu) ? cpu['architecture'] : undefined;
    const isUnknown = name === null || name === '';
    if (isUnknown && (properties['cpu_arch'] ?? '') !== '')
      return draft.warn(`Architecture unchanged: the inventory's cpu.architecture is ${shown(name)}.`);
    if (typeof name !== 'string' || !ARCHITECTURE.test(name)) {
      throw new InspectionError(
        `Invalid inventory: cpu.architecture is ${shown(name)}, expected a name as "uname -m" prints it`,
      );
    }
    properties['cpu_arch'] = name;
  },
});
