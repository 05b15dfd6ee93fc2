// Limits the open connections of a server, in total and for each client. A client that holds many connections, or does nothing with
// them, keeps no other client out.
import type { Socket } from 'node:net';
import type { Clock } from '../lib/clock.ts';
import { Seldom } from '../lib/limits/seldom.ts';
import { canonicalIp } from '../lib/network/ip.ts';

/** A client that is turned away again and again is reported once in this time, so that a flood makes few reports. */
const PAUSE_MILLISECONDS = 60_000;
/** A connection on which nothing was sent or received for this long gives way when all places are taken. */
const STALLED_MILLISECONDS = 10_000;

export interface ConnectionLimits {
  readonly connections: number;
  readonly connectionsPerClient: number;
}

export interface Turnstile {
  readonly limits: ConnectionLimits;
  /** What sets each limit, for reports: `[boot_http] max_connections`. */
  readonly named: Readonly<Record<keyof ConnectionLimits, string>>;
  readonly clock: Clock;
  /** Called with a text without its subject, which is the client: `was refused a connection: ...`. */
  readonly report: (address: string, text: string) => void;
}

interface Held {
  readonly socket: Socket;
  readonly address: string;
  /** How many bytes the connection had carried when this was last looked at, and since when it has carried no more. */
  bytes: number;
  since: number;
}

/**
 * Returns a function that counts a new connection, or closes it when its client has reached the limit. When all places are taken,
 * a new connection takes the place of the one that has been still for longest: of the client with the most connections, if that
 * has at least two more than the new client, otherwise of any client. If there is none, the new connection is closed.
 */
export function createAdmission({ limits, named, clock, report }: Turnstile): (socket: Socket) => void {
  const open = new Map<string, Set<Held>>();
  const reports = new Seldom(clock, PAUSE_MILLISECONDS);
  let total = 0;
  const turnAway = (socket: Socket, address: string, text: string) => {
    socket.destroy();
    if (reports.isDue(address)) report(address, text);
  };
  const leave = (held: Held) => {
    const others = open.get(held.address);
    if (others?.delete(held) !== true) return;
    total -= 1;
    if (others.size === 0) open.delete(held.address);
  };
  const giveWay = (held: Held) => {
    leave(held);
    turnAway(held.socket, held.address, `was disconnected: ${full(total + 1)}, and another client came`);
  };
  const full = (count: number) => `${count} connections are open, the limit (${named.connections})`;
  return (socket) => {
    const address = canonicalIp(socket.remoteAddress ?? '') ?? 'an unknown address';
    const own = open.get(address)?.size ?? 0;
    if (own >= limits.connectionsPerClient)
      return turnAway(
        socket,
        address,
        `was refused a connection: it has ${own} connections open, the limit (${named.connectionsPerClient})`,
      );
    if (total >= limits.connections) {
      const displaced = displacedBy(own, open, clock.monotonic());
      if (displaced === undefined)
        return turnAway(socket, address, `was refused a connection: ${full(total)}`);
      giveWay(displaced);
    }
    const held: Held = { socket, address, bytes: 0, since: clock.monotonic() };
    total += 1;
    open.set(address, (open.get(address) ?? new Set()).add(held));
    socket.once('close', () => leave(held));
  };
}

/** `own`: how many connections the client of the new connection has. */
function displacedBy(
  own: number,
  open: ReadonlyMap<string, ReadonlySet<Held>>,
  now: number,
): Held | undefined {
  const all = [...open.values()].flatMap((each) => [...each]);
  for (const held of all) look(held, now);
  const largest = [...open.values()].reduce((most, each) => (each.size > most.size ? each : most), new Set());
  if (largest.size > own + 1) return stillest(largest);
  const still = stillest(all);
  return still !== undefined && now - still.since >= STALLED_MILLISECONDS ? still : undefined;
}

function look(held: Held, now: number): void {
  const bytes = held.socket.bytesRead + held.socket.bytesWritten;
  if (bytes !== held.bytes) held.since = now;
  held.bytes = bytes;
}

const stillest = (connections: Iterable<Held>): Held | undefined =>
  [...connections].reduce<Held | undefined>(
    (found, each) => (found === undefined || each.since < found.since ? each : found),
    undefined,
  );
