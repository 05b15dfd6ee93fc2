// The flight recorder: collects what the daemon sees of each machine, and stores it within a quarter of a second.
import type { Database } from '../../db/database.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { RecentMap } from '../../lib/limits/recent-map.ts';
import type { Hop, MachineEvent } from '../../model/records/machine-event.ts';
import { maskSecrets } from '../../model/secrets.ts';
import { timelineLimits } from '../limits.ts';

/** What a part of the daemon saw of a machine, identified by what that part knows: node, MAC address or IP address. */
export interface Sighting {
  readonly hop: Hop;
  readonly node?: string;
  /** Canonical MAC address. */
  readonly mac?: string;
  readonly address?: string;
  /** What happened, without the subject of the sentence: `asked for an address`. */
  readonly text: string;
  readonly failed?: true;
}

export interface Recorder {
  /** Never throws: a machine's boot does not depend on its timeline. */
  record(sighting: Sighting): void;
  /** Stores what is not stored yet. Called before events are read. */
  flush(): void;
  /**
   * Resolves with true when the next events have been stored or could not be stored; with false after `milliseconds`, or when the
   * recorder is closed.
   */
  next(milliseconds: number): Promise<boolean>;
  /** Called with every sighting, also with those that no timeline keeps. */
  readonly watchers: Set<(sighting: Sighting) => void>;
  /** Called with the nodes of stored events; null: machines without a node. */
  readonly storedWatchers: Set<(nodes: ReadonlySet<string | null>) => void>;
  /** Stores what is left, and resolves every promise of `next` that is still pending. */
  close(): void;
}

const FLUSH_MILLISECONDS = 250;
/** How many events are kept: for each node, at the open hops and at the others; for all machines without a node together. */
export const KEPT_OF_NODE = 1000;
const KEPT_OF_UNKNOWN = 20_000;
const REMEMBERED_ADDRESSES = 4096;

export function createRecorder(db: Database, clock: Clock, log: Logger): Recorder {
  const addresses = new RecentMap<string, string>(REMEMBERED_ADDRESSES);
  const watchers = new Set<(sighting: Sighting) => void>();
  const storedWatchers: Recorder['storedWatchers'] = new Set();
  const { next, wake } = createWaiters(clock);
  let lastId = db.machineEvents.newestId();
  let buffer: MachineEvent[] = [];
  let counts = new Map<string, number>();
  let lost = 0;
  let cancelFlush: (() => void) | undefined;
  let isClosed = false;

  const flush = () => {
    cancelFlush?.();
    cancelFlush = undefined;
    const [events, missed] = [buffer, lost];
    [buffer, lost, counts] = [[], 0, new Map()];
    if (missed > 0) log.warn({ events: missed }, 'too many events: timelines are incomplete');
    if (events.length === 0) return;
    try {
      const nodes = db.transaction(() => store(db, events));
      for (const watch of storedWatchers) watch(nodes);
    } catch (error) {
      log.error({ error, events: events.length }, 'cannot store events of timelines');
    }
    wake(true);
  };

  return {
    watchers,
    storedWatchers,
    record(seen) {
      if (isClosed) return;
      const sighting = { ...seen, text: maskSecrets(seen.text) };
      for (const watch of watchers) watch(sighting);
      const mac = macOf(addresses, sighting);
      const machine = sighting.node ?? mac ?? sighting.address ?? '';
      const count = (counts.get(machine) ?? 0) + 1;
      if (buffer.length >= timelineLimits.events || count > timelineLimits.eventsOfAMachine) {
        lost += 1;
        return;
      }
      counts.set(machine, count);
      buffer.push(eventOf(++lastId, clock.now(), { ...sighting, mac }));
      cancelFlush ??= clock.after(FLUSH_MILLISECONDS, flush);
    },
    flush,
    next: (milliseconds) => (isClosed ? Promise.resolve(false) : next(milliseconds)),
    close() {
      isClosed = true;
      flush();
      wake(false);
    },
  };
}

/** Promises of the next flush: `next` returns one, and `wake` resolves all that are pending. */
function createWaiters(clock: Clock) {
  const waiting = new Set<(stored: boolean) => void>();
  return {
    next: (milliseconds: number) =>
      new Promise<boolean>((resolve) => {
        const resume = (stored: boolean) => {
          cancel();
          waiting.delete(resume);
          resolve(stored);
        };
        const cancel = clock.after(milliseconds, () => resume(false));
        waiting.add(resume);
      }),
    wake: (stored: boolean) => {
      for (const resume of waiting) resume(stored);
    },
  };
}

function store(db: Database, events: readonly MachineEvent[]): ReadonlySet<string | null> {
  const nodes = new Set(events.map((event) => db.machineEvents.insert(event)));
  for (const node of nodes) {
    if (node === null) db.machineEvents.trimUnknown(KEPT_OF_UNKNOWN);
    else db.machineEvents.trimNode(node, KEPT_OF_NODE);
  }
  return nodes;
}

type Identified = Omit<Sighting, 'mac'> & { readonly mac: string | undefined };

const eventOf = (id: number, milliseconds: number, sighting: Identified): MachineEvent => ({
  id,
  at: new Date(milliseconds).toISOString(),
  hop: sighting.hop,
  node_uuid: sighting.node ?? null,
  mac: sighting.mac ?? null,
  address: sighting.address ?? null,
  text: sighting.text.slice(0, timelineLimits.characters),
  failed: sighting.failed === true,
});

/** Returns the MAC address in the sighting, or else the last one that was seen with the sighting's IP address. */
function macOf(addresses: RecentMap<string, string>, { mac, address }: Sighting): string | undefined {
  if (address === undefined || mac === undefined) return mac ?? addresses.get(address ?? '');
  addresses.set(address, mac);
  return mac;
}
