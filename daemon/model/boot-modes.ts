// The firmware modes a machine boots in.

export const bootModes = ['bios', 'uefi'] as const;
export type BootMode = (typeof bootModes)[number];

export function isBootMode(text: string): text is BootMode {
  return (bootModes as readonly string[]).includes(text);
}
