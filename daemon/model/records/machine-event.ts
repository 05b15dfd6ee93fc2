// One event of a machine's timeline: what the daemon saw of the machine on its way from power-on to a running agent.

/**
 * Where an event was seen: `wait` (what the daemon begins to wait for), `bmc` (what the BMC reports), `console` (the serial
 * console), and then the hops in the order in which a machine that boots from the network passes them.
 */
export const hops = [
  'wait',
  'bmc',
  'console',
  'power',
  'dhcp',
  'proxydhcp',
  'tftp',
  'http',
  'lookup',
  'inspection',
  'heartbeat',
  'agent',
] as const;
export type Hop = (typeof hops)[number];

/** The hops at which anybody on the network can make events in a machine's name. */
export const openHops = ['dhcp', 'proxydhcp', 'tftp', 'http', 'lookup'] as const satisfies readonly Hop[];

export interface MachineEvent {
  /** The id grows with time; `since` in a request names the last id that the client has read. */
  readonly id: number;
  /** ISO 8601 in UTC, with milliseconds. */
  readonly at: string;
  readonly hop: Hop;
  readonly node_uuid: string | null;
  readonly mac: string | null;
  readonly address: string | null;
  /** What happened, without the subject of the sentence: `asked for an address`. */
  readonly text: string;
  /** Whether the machine did not get what it needed. */
  readonly failed: boolean;
}

/** A machine that the boot servers or the ramdisk API saw and that belongs to no node. */
export interface UnknownMachine {
  /** The machine's MAC address; its IP address if the daemon did not know the MAC address. */
  readonly machine: string;
  readonly first_seen: string;
  readonly last_seen: string;
  readonly events: number;
  readonly last_event: string;
  /** Whether an operator has decided not to enrol the machine. */
  readonly ignored: boolean;
}
