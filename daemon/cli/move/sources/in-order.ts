// The order in which machines move.

export interface Listed {
  readonly uuid: string;
  readonly name: string | null;
  readonly parent_node: string | null;
}

/** The UUIDs of the nodes with these names or UUIDs, or of all; nodes with a parent come last. Throws for unknown names. */
export function inOrder(nodes: readonly Listed[], named: readonly string[]): readonly string[] {
  const known = new Map(nodes.flatMap((node) => [[node.uuid, node] as const, [node.name ?? node.uuid, node] as const]));
  const chosen = named.map((name) => {
    const node = known.get(name);
    if (node === undefined) throw new Error(`--node ${name}: there is no node with this name or UUID`);
    return node;
  });
  const moved = named.length === 0 ? nodes : chosen;
  const isChild = ({ parent_node: parent }: Listed) => parent !== null;
  return [...moved.filter((node) => !isChild(node)), ...moved.filter(isChild)].map(({ uuid }) => uuid);
}
