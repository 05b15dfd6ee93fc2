// The order in which machines move.
import type { Node } from '../../../model/records/node.ts';

type Listed = Pick<Node, 'uuid' | 'name' | 'parent_node'>;

/**
 * Returns the nodes with these names or UUIDs, or all nodes if `named` is empty. Nodes with a parent come last. Throws for unknown
 * names and UUIDs.
 */
export function inGivenOrder(nodes: readonly Listed[], named: readonly string[]): readonly Listed[] {
  const known = new Map(
    nodes.flatMap((node) => [[node.uuid, node] as const, [node.name ?? node.uuid, node] as const]),
  );
  const chosen = named.map((name) => {
    const node = known.get(name);
    if (node === undefined) throw new Error(`--node ${name}: there is no node with this name or UUID`);
    return node;
  });
  const moved = named.length === 0 ? nodes : chosen;
  const isChild = ({ parent_node: parent }: Listed) => parent !== null;
  return [...moved.filter((node) => !isChild(node)), ...moved.filter(isChild)];
}
