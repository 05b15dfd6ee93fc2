// The password of a rescue system, whose hash the node keeps only until its ramdisk has it.
import type { Node, NodeChanges } from '../../model/records/node.ts';

/** Returns the changes that remove the hash of the password. */
export function withoutPassword({ instance_info }: Node): NodeChanges {
  const { hashed_rescue_password: _, ...rest } = instance_info;
  return { instance_info: rest };
}
