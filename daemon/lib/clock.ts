// Time as a dependency: code that waits or takes time stamps uses a Clock, which tests control.
import { asError } from './abort-signals.ts';

export interface Clock {
  /** Milliseconds since the epoch, for people and records; may jump, even by years, when the clock is set. */
  now(): number;
  /** Milliseconds since an arbitrary start, on a clock that never jumps; for deadlines and durations. */
  monotonic(): number;
  /** Runs `action` once after `milliseconds`. Call the result to cancel. Does not keep the process alive. */
  after(milliseconds: number, action: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(milliseconds, action) {
    const timer = setTimeout(action, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after `milliseconds`; rejects with the signal's reason when it aborts first. */
export function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(asError(signal.reason));
    const onAbort = () => {
      cancel();
      reject(asError(signal?.reason));
    };
    const cancel = clock.after(milliseconds, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** ISO 8601 in UTC with an explicit offset, as the API writes times. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '+00:00');
}

/** The time of day as the API writes it. */
export const now = ({ clock }: { readonly clock: Clock }): string => timestamp(clock.now());
