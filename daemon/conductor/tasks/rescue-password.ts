// Removes the hash of the rescue password from the node, which happens when the rescue system has taken the hash over, or the
// rescue fails or is aborted.
import type { Node, NodeChanges } from '../../model/records/node.ts';

/** Returns the changes that remove the hash of the password. */
export function withoutPassword({ instance_info }: Node): NodeChanges {
  const { hashed_rescue_password: _, ...rest } = instance_info;
  return { instance_info: rest };
}
