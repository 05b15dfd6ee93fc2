// Virtual media: images that a BMC presents to its machine as drives.

export const virtualMediaDevices = ['cdrom', 'disk', 'floppy'] as const;
export type VirtualMediaDevice = (typeof virtualMediaDevices)[number];

/** One virtual drive of a BMC, as shown by the API. */
export interface VirtualMediaDrive {
  /** The media types in Redfish's terms: CD, DVD, USBStick, Floppy. */
  readonly media_types: readonly string[];
  readonly inserted: boolean;
  /** The URL of the inserted image; null if there is none. */
  readonly image: string | null;
}
