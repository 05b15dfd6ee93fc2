// Removes the hash of the rescue password from a node, once the rescue system has the hash or the rescue has failed or was
// aborted.
import type { Node, NodeChanges } from '../../model/records/node.ts';

/** Returns the changes that remove the hash of the password. */
export function withoutPassword({ instance_info }: Node): NodeChanges {
  const { hashed_rescue_password: _, ...rest } = instance_info;
  return { instance_info: rest };
}
