// The node keeps the hash of the rescue password only while it is being rescued: the ramdisk stores it, or rescuing ends.
import type { Node, NodeChanges } from '../../model/records/node.ts';

/** Returns the changes that remove the hash of the password. */
export function withoutPassword({ instance_info }: Node): NodeChanges {
  const { hashed_rescue_password: _, ...rest } = instance_info;
  return { instance_info: rest };
}
