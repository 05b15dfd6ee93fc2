// Asks the daemon to do something with each of many nodes, several at once, and tells how each ended as soon as it has.
import { limitConcurrency } from '../../lib/limits/limit-concurrency.ts';
import { visibleLine } from '../../lib/plain-text.ts';
import type { Output } from '../output.ts';

/** How many BMCs are asked at once. */
const WIDTH = 8;

export interface AskedNode {
  readonly isDone: boolean;
  /** A line for the operator. */
  readonly says: string;
}

/** Resolves to the number of nodes for which it was done. Rejects when `ask` does; the lines of what has ended are then printed. */
export async function askNodes<N>(
  nodes: readonly N[],
  stdout: Output,
  ask: (node: N) => Promise<AskedNode>,
): Promise<number> {
  const inTurn = limitConcurrency(WIDTH);
  const asked = nodes.map((node) =>
    inTurn(async () => {
      const { isDone, says } = await ask(node);
      stdout.write(`${visibleLine(says)}\n`);
      return isDone;
    }),
  );
  return (await Promise.all(asked)).filter(Boolean).length;
}
