// The limits of the boot servers that have no option. Machines need no login here, so these bound what any of them can cause. What
// a protocol prescribes stands beside the code of that protocol.

export const dhcpLimits = {
  /** A machine that has declined this many addresses lately is not believed: somebody may use its MAC address. */
  declinedAddresses: 4,
  /** How long a machine is not offered an address that it has declined. */
  declinedMilliseconds: 600_000,
  /** Whose declined addresses are remembered at a time; invented machines push out only each other's. */
  decliningMachines: 10_000,
  /** How many addresses one search examines. It passes over those reserved for or leased to others. */
  searchedAddresses: 64,
  /** How many addresses in use one request may run into before the machine gets no answer; it asks again by itself. */
  addressesTried: 8,
  /** How many probes may run at a time: the kernel's table has 1,024 entries by default, for the whole host. */
  probes: 64,
  /** How many of them machines without a port may use, so that the others have some left. */
  probesForUnknown: 48,
} as const;

export const tftpLimits = {
  /** How much is sent without waiting for the client, and read from a file at once. */
  windowBytes: 131_072,
  /** The same in blocks, as agreed with a client: small blocks cost as much work as large ones. */
  windowBlocks: 64,
  /** How many blocks are read ahead at once, however small they are. */
  blocksReadAhead: 256,
  /** How much of a client's text, such as the name of a file, an event shows. */
  shownCharacters: 120,
} as const;

export const bootLoopLimits = {
  /** How often a machine is told to boot the same file, within `windowMinutes`, before it counts as looping. */
  boots: 5,
  windowMinutes: 10,
  /** No firmware boots again sooner; requests that follow sooner are repetitions. */
  repetitionMilliseconds: 20_000,
  /** The first pause of a machine without a node that loops; each further one is twice as long. */
  shortestPauseMinutes: 10,
  longestPauseMinutes: 1440,
  /** How many machines are watched; beyond it, the one not seen for longest is forgotten. */
  machines: 10_000,
} as const;
