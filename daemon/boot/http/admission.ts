// Limits the open connections of the boot HTTP server, in total and for each client.
import type { Socket } from 'node:net';
import type { Clock } from '../../lib/clock.ts';
import { Seldom } from '../../lib/limits/seldom.ts';
import { canonicalIp } from '../../lib/network/ip.ts';
import type { RecordBootEvent } from '../boot-event.ts';

/** A client that is refused again and again is recorded once in this time, so that a flood makes few events. */
const PAUSE_MILLISECONDS = 60_000;

export interface ConnectionLimits {
  readonly connections: number;
  readonly connectionsPerClient: number;
}

/** Returns a function that counts a new connection, or closes it when a limit is reached. */
export function createAdmission(
  { connections, connectionsPerClient }: ConnectionLimits,
  record: RecordBootEvent,
  clock: Clock,
): (socket: Socket) => void {
  const open = new Map<string, number>();
  const refusals = new Seldom(clock, PAUSE_MILLISECONDS);
  let total = 0;
  const refuse = (socket: Socket, address: string, reason: string) => {
    socket.destroy();
    if (!refusals.isDue(address)) return;
    record({ hop: 'http', address, text: `was refused a connection: ${reason}`, failed: true });
  };
  return (socket) => {
    const address = canonicalIp(socket.remoteAddress ?? '') ?? 'an unknown address';
    const ofClient = open.get(address) ?? 0;
    if (total >= connections)
      return refuse(
        socket,
        address,
        `${total} connections are open, the limit ([boot_http] max_connections)`,
      );
    if (ofClient >= connectionsPerClient)
      return refuse(
        socket,
        address,
        `it has ${ofClient} connections open, the limit ([boot_http] max_connections_per_client)`,
      );
    total += 1;
    open.set(address, ofClient + 1);
    socket.once('close', () => {
      total -= 1;
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  };
}
