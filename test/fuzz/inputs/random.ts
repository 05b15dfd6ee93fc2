// Random choices determined by a seed.

export interface Random {
  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number;
  /** True with a probability of 1 in `times`. */
  once(times: number): boolean;
  /** One of the choices. */
  of<T>(choices: readonly T[]): T;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  // mulberry32
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    once: (times) => below(times) === 0,
    of<T>(choices: readonly T[]): T {
      if (choices.length === 0) throw new Error('there is nothing to choose from');
      return choices[below(choices.length)] as T;
    },
  };
}
