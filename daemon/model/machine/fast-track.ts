// Fast track: a ramdisk that runs is used for the next operation, without a reboot.
import type { Node } from '../records/node.ts';

/** `otherwise`: `[deploy] fast_track`. */
export function hasFastTrack({ driver_info: { fast_track: ofNode } }: Node, otherwise: boolean): boolean {
  return typeof ofNode === 'boolean' ? ofNode : otherwise;
}
