// Boot devices of the API; a management interface says which of them a machine supports.

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
