// How simulated machines ask: each has its connections to itself, as every machine has.

/** Headers of a request on a connection of its own. A connection that is kept may be closed just when another machine asks on it. */
export const OWN_CONNECTION = { connection: 'close' } as const;
