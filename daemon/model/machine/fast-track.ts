// Fast track: a ramdisk that runs is used for the next operation, without a reboot.
import type { Node } from '../records/node.ts';

/** Whether the node uses fast track. `otherwise`: what `[deploy] fast_track` says for nodes that do not set it. */
export function hasFastTrack({ driver_info: { fast_track: ofNode } }: Node, otherwise: boolean): boolean {
  return typeof ofNode === 'boolean' ? ofNode : otherwise;
}
