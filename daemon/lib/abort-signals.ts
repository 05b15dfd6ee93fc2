// Abort signals: one that follows others without giving access to them, and the reason of an abort, which may be anything.

/**
 * Returns a signal that aborts when the first of the sources does, with the same reason. Unlike a signal of AbortSignal.any, it
 * holds no reference to the sources: plugin code that gets it can dispatch events on this signal only.
 */
export function ownSignal(...sources: readonly AbortSignal[]): AbortSignal {
  const own = new AbortController();
  // the listeners are removed one by one, because the `signal` option of addEventListener takes seven times as long
  const follow = () => {
    for (const one of sources) one.removeEventListener('abort', follow);
    own.abort(sources.find(({ aborted }) => aborted)?.reason);
  };
  if (sources.some(({ aborted }) => aborted)) follow();
  else for (const one of sources) one.addEventListener('abort', follow);
  return own.signal;
}

/** Returns the reason of an abort, or what was thrown, as an Error. */
export const asError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new Error(String(reason));
