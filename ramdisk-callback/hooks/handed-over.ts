// Results of worker threads.
import { move, transferableSymbol, valueSymbol } from 'piscina';

/** Returns `value`, a worker's result, wrapped so that its `buffers` are moved to the main thread instead of copied. */
export function handedOver<T extends object>(value: T, buffers: readonly ArrayBuffer[]): T {
  const wrapped: unknown = move({
    get [transferableSymbol]() {
      return buffers;
    },
    get [valueSymbol]() {
      return value;
    },
  });
  // the main thread receives `value` without the wrapper
  return wrapped as T;
}
