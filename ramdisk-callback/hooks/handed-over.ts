// Results of worker threads.
import { move, transferableSymbol, valueSymbol } from 'piscina';

/** Wraps `value`, a worker's result, so that its `buffers` are moved to the main thread instead of copied. */
export function handedOver(value: object, buffers: readonly ArrayBuffer[]): unknown {
  return move({
    get [transferableSymbol]() {
      return buffers;
    },
    get [valueSymbol]() {
      return value;
    },
  });
}
