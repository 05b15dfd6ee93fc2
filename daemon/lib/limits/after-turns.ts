// Deadlines for plugin code in this process. They count turns of the event loop, so that code on a busy host gets as many chances
// to finish as on an idle one.

const TURN_MILLISECONDS = 100;

/**
 * Runs `action` once after as many turns as take `milliseconds` on an idle host. Call the result to cancel. Keeps the process
 * alive.
 */
export function afterTurns(milliseconds: number, action: () => void): () => void {
  let left = Math.ceil(milliseconds / TURN_MILLISECONDS);
  let timer: NodeJS.Timeout | undefined;
  const turn = () => {
    if (left === 0) return action();
    left -= 1;
    timer = setTimeout(turn, TURN_MILLISECONDS);
  };
  turn();
  return () => clearTimeout(timer);
}
