// The boot devices of the API. The management interface determines which of them a machine supports.

export const bootDevices = [
  'pxe',
  'disk',
  'cdrom',
  'bios',
  'safe',
  'wanboot',
  'iscsiboot',
  'floppy',
  'uefihttp',
] as const;
export type BootDevice = (typeof bootDevices)[number];
