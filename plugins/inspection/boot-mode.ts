// The `boot-mode` hook: sets the capability boot_mode to the mode that the ramdisk booted in.
import { defineHook, isJsonObject } from '#plugin-api';
import { setCapabilities } from './capabilities.ts';
import { shown } from './shown.ts';

export const bootMode = defineHook({
  call(draft) {
    const { boot } = draft.inventory;
    const mode = isJsonObject(boot) ? boot['current_boot_mode'] : undefined;
    if (mode === 'uefi' || mode === 'bios') setCapabilities(draft, new Map([['boot_mode', mode]]));
    else draft.warn(`Boot mode unchanged: the inventory's boot.current_boot_mode is ${shown(mode)}.`);
  },
});
