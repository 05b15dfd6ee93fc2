// The `cpu-capabilities` hook: sets capabilities from CPU flags.
import { defineHook, type Configuration, isJsonObject, type Json } from '#plugin-api';
import { setCapabilities } from './capabilities.ts';
import { options } from './options.ts';

export const cpuCapabilities = defineHook({
  checkConfiguration: capabilityByFlag,
  call(draft) {
    const { cpu } = draft.inventory;
    const flags = isJsonObject(cpu) ? cpu['flags'] : undefined;
    if (!Array.isArray(flags) || flags.length === 0) {
      draft.warn('CPU capabilities unchanged: the inventory has no cpu.flags.');
      return;
    }
    const present = new Set(flags as readonly Json[]);
    const found = capabilityByFlag(draft.configuration).filter(([flag]) => present.has(flag));
    if (found.length > 0)
      setCapabilities(draft, new Map(found.map(([, capability]) => [capability, 'true'])));
  },
});

function capabilityByFlag(configuration: Configuration): readonly (readonly [string, string])[] {
  return options({ configuration }).cpu_capabilities.map((pair) => {
    const [, flag, capability] = /^([\w.]+):(\w+)$/.exec(pair) ?? [];
    if (flag === undefined || capability === undefined) {
      throw new Error(
        `[inspector] cpu_capabilities: "${pair}": expected a CPU flag and a capability, such as vmx:cpu_vt`,
      );
    }
    return [flag, capability];
  });
}
