// Results of worker threads.
import { move, transferableSymbol, valueSymbol } from 'piscina';

/** `value` for the main thread; the buffers in it move there instead of being copied. */
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
