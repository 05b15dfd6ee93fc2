// The firmware modes in which machines boot.

export const bootModes = ['bios', 'uefi'] as const;
export type BootMode = (typeof bootModes)[number];
