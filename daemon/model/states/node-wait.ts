// What a node waits for, as its record says it.
import type { Json } from '../json.ts';

/**
 * Who ends the wait: the agent or installer in the machine's ramdisk, the BMC or whatever else the driver asks, an operator, a
 * service for inspection, or the clock.
 */
export type AwaitedParty = 'agent' | 'bmc' | 'operator' | 'service' | 'timer';

export interface Awaited {
  readonly for: AwaitedParty;
  /** Completes the sentence "The node waits for ...": `the first heartbeat of the agent in its ramdisk`. */
  readonly reason: string;
}

export interface NodeWait extends Awaited {
  readonly [key: string]: Json;
  /** When the node began to wait for it; ISO 8601 in UTC. */
  readonly since: string;
}
