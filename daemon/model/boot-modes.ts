// The firmware modes a machine boots in.

export const bootModes = ['bios', 'uefi'] as const;
export type BootMode = (typeof bootModes)[number];
