// The hash of the rescue password is in the node only until the rescue system has taken it over, or the rescue fails or is
// aborted.
import type { Node, NodeChanges } from '../../model/records/node.ts';

/** Returns the changes that remove the hash of the password. */
export function withoutPassword({ instance_info }: Node): NodeChanges {
  const { hashed_rescue_password: _, ...rest } = instance_info;
  return { instance_info: rest };
}
