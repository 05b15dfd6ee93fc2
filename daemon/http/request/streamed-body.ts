// A body that its handler reads piece by piece: an image, of any size. However long it takes, it must keep moving.
import { asError } from '../../lib/abort-signals.ts';
import type { Clock } from '../../lib/clock.ts';
import { fault } from '../../model/faults.ts';
import { type Expected, tooLarge } from './body.ts';

/** How long a client may send nothing. */
const SILENCE_SECONDS = 60;

export interface BodyStream {
  /** null: the client does not say, and sends chunks. */
  readonly bytes: number | null;
  /**
   * Reads the body; call it once. Rejects with BodyTooLarge, BodyStalled, the signal's reason when it aborts, or Node.js's error
   * when the client disconnects.
   */
  readonly pieces: (signal: AbortSignal) => AsyncIterable<Uint8Array>;
}

export const streamedBody = (
  open: () => AsyncIterable<Uint8Array>,
  expected: Expected,
  clock: Clock,
): BodyStream => ({
  bytes: expected.isDeclared ? expected.largest : null,
  async *pieces(signal) {
    const iterator = open()[Symbol.asyncIterator]();
    try {
      for (let size = 0; ;) {
        const { done, value } = await nextOf(iterator, clock, signal);
        if (done === true) return;
        size += value.byteLength;
        if (size > expected.largest) throw tooLarge(expected.limit);
        yield value;
      }
    } finally {
      // not awaited: `return` waits for the next piece of the body, which may never come
      void iterator.return?.();
    }
  },
});

/** Each piece has its own timer and listener: a body of millions of pieces leaves nothing behind. */
function nextOf(
  iterator: AsyncIterator<Uint8Array>,
  clock: Clock,
  signal: AbortSignal,
): Promise<IteratorResult<Uint8Array>> {
  const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Uint8Array>>();
  if (signal.aborted) return Promise.reject(asError(signal.reason));
  const onAbort = () => reject(asError(signal.reason));
  const cancel = clock.after(SILENCE_SECONDS * 1000, () =>
    reject(fault('BodyStalled', { seconds: SILENCE_SECONDS })),
  );
  signal.addEventListener('abort', onAbort, { once: true });
  iterator.next().then(resolve, reject);
  return promise.finally(() => {
    cancel();
    signal.removeEventListener('abort', onAbort);
  });
}
