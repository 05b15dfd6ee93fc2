// A signal that follows others and leads back to none of them.

/**
 * Aborts with the first of the sources, with its reason. Unlike one of AbortSignal.any, it holds no reference to them: who
 * gets it can dispatch events on nothing but itself.
 */
export function ownSignal(...sources: readonly AbortSignal[]): AbortSignal {
  const own = new AbortController();
  for (const one of sources) {
    if (one.aborted) own.abort(one.reason);
    one.addEventListener('abort', () => own.abort(one.reason), { once: true, signal: own.signal });
  }
  return own.signal;
}
