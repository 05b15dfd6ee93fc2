// Virtual media: images that a BMC shows its machine as drives.

export const virtualMediaDevices = ['cdrom', 'disk', 'floppy'] as const;
export type VirtualMediaDevice = (typeof virtualMediaDevices)[number];

/** One drive of a BMC, as the API shows it. */
export interface VirtualMediaDrive {
  /** In Redfish's words: CD, DVD, USBStick, Floppy. */
  readonly media_types: readonly string[];
  readonly inserted: boolean;
  /** URL of the image; null when there is none. */
  readonly image: string | null;
}
