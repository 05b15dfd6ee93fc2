// The `architecture` hook: sets properties/cpu_arch from the inventory.
import { defineHook, InspectionError, isJsonObject } from '#plugin-api';
import { shown } from './shown.ts';

const ARCHITECTURE = /^[\w.-]{0,64}$/;

export const architecture = defineHook({
  call({ inventory, node }) {
    const { cpu } = inventory;
    const name = isJsonObject(cpu) ? cpu['architecture'] : undefined;
    if (typeof name !== 'string' || !ARCHITECTURE.test(name)) {
      throw new InspectionError(
        `Invalid inventory: cpu.architecture is ${shown(name)}, expected a name as "uname -m" prints it`,
      );
    }
    node.properties['cpu_arch'] = name;
  },
});
