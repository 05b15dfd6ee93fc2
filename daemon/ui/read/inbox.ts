// Reads what waits for an operator's decision: machines without a node, found BMCs, and nodes that discovery made.
import type { FoundBmc } from '../../model/zero-touch/found-bmc.ts';
import type { UnknownMachine } from '../../model/records/machine-event.ts';
import type { ReadServices } from './services.ts';
import { readMachines, type ShownMachine } from './machines.ts';

export interface Inbox {
  readonly unknown: readonly UnknownMachine[];
  readonly discovered: readonly ShownMachine[];
  /** BMCs whose machines wait for an operator to accept them. */
  readonly unexpected: readonly FoundBmc[];
  /** Their machines are expected and go no further. */
  readonly stopped: readonly FoundBmc[];
  readonly underWay: readonly FoundBmc[];
}

const MOST_SHOWN = 100;
/** BMCs of machines that an operator enrolled, and of those that are ready, are left out. */
const OPEN = "stage <> 'available' AND (node_uuid IS NULL OR expected_uuid IS NOT NULL)";

export function readInbox(services: ReadServices): Inbox {
  services.timeline.flush();
  return {
    ...foundIn(services),
    unknown: services.db.machineEvents.unknownMachines(MOST_SHOWN),
    discovered: readMachines(services).filter(({ discovered, state }) => discovered && state === 'enroll'),
  };
}

function foundIn({ db }: ReadServices): Pick<Inbox, 'unexpected' | 'stopped' | 'underWay'> {
  const found = db.foundBmcs.list(db.foundBmcs.columns, [{ sql: OPEN, values: [] }], {
    limit: MOST_SHOWN,
    sortKey: 'last_seen',
    descending: true,
  });
  const { waiting = [], underWay = [] } = Object.groupBy(found, ({ reason }) =>
    reason === null ? 'underWay' : 'waiting',
  );
  return {
    underWay,
    unexpected: waiting.filter(({ expected_uuid: expected }) => expected === null),
    stopped: waiting.filter(({ expected_uuid: expected }) => expected !== null),
  };
}

/** How many machines wait for a decision. */
export function countWaiting(services: ReadServices): number {
  const { db } = services;
  const { unexpected, stopped } = foundIn(services);
  const unknown = db.machineEvents.countUnknown();
  return unexpected.length + stopped.length + unknown + db.nodes.countDiscovered('enroll');
}

/** How many expected machines have stopped on their way, with a reason. */
export const countStopped = (services: ReadServices): number => foundIn(services).stopped.length;
