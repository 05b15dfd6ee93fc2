// Limits the open connections of the boot HTTP server, in total and for each client.
import type { Socket } from 'node:net';
import { canonicalIp } from '../../lib/network/ip.ts';
import type { RecordBootEvent } from '../boot-event.ts';

export interface ConnectionLimits {
  readonly connections: number;
  readonly connectionsPerClient: number;
}

/** Returns a function that counts a new connection, or closes it when a limit is reached. */
export function createAdmission(
  { connections, connectionsPerClient }: ConnectionLimits,
  record: RecordBootEvent,
): (socket: Socket) => void {
  const open = new Map<string, number>();
  // clients whose refusal was recorded since their last admitted connection, so that a flood makes only one event
  const reported = new Set<string>();
  let total = 0;
  const refuse = (socket: Socket, address: string, reason: string) => {
    socket.destroy();
    if (reported.has(address) || reported.size >= connections) return;
    reported.add(address);
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
        `it has ${ofClient} open, the limit ([boot_http] max_connections_per_client)`,
      );
    reported.delete(address);
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
