// Who is told of each change of a node's provision state.
import type { Node } from '../../model/records/node.ts';

export interface Transitions {
  /** Called within the transaction that stores the change, to store what belongs to it. */
  readonly storing: Set<(node: Node) => void>;
  /** Called when the change is durable; `from`: the node before it. */
  readonly stored: Set<(node: Node, from: Node) => void>;
  /** Called like `stored`, when the node enters or leaves a state in which it waits. */
  readonly waiting: Set<(node: Node) => void>;
}
