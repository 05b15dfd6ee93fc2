// Fast track: the next operation uses a ramdisk that is running already, without a reboot.
import type { Node } from '../records/node.ts';

/** Whether the node uses fast track. `otherwise`: what `[deploy] fast_track` says for nodes that do not set it. */
export function hasFastTrack({ driver_info: { fast_track: ofNode } }: Node, otherwise: boolean): boolean {
  return typeof ofNode === 'boolean' ? ofNode : otherwise;
}
