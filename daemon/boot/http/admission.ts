// How many connections the boot HTTP server has, in total and with one client.
import type { Socket } from 'node:net';
import { canonicalIp } from '../../lib/ip.ts';
import type { RecordBootEvent } from '../boot-event.ts';

export interface ConnectionLimits {
  readonly connections: number;
  readonly connectionsPerClient: number;
}

/** Returns a function that counts a new connection, or ends it when that is one too many. */
export function createAdmission(
  { connections, connectionsPerClient }: ConnectionLimits,
  record: RecordBootEvent,
): (socket: Socket) => void {
  const open = new Map<string, number>();
  // clients that were told of since they last had a connection admitted: a flood makes one event
  const told = new Set<string>();
  let total = 0;
  const refuse = (socket: Socket, address: string, reason: string) => {
    socket.destroy();
    if (told.has(address) || told.size >= connections) return;
    told.add(address);
    record({ hop: 'http', address, text: `was refused a connection: ${reason}`, failed: true });
  };
  return (socket) => {
    const address = canonicalIp(socket.remoteAddress ?? '') ?? 'an unknown address';
    const ofClient = open.get(address) ?? 0;
    if (total >= connections)
      return refuse(socket, address, `${total} are open, the limit ([boot_http] max_connections)`);
    if (ofClient >= connectionsPerClient)
      return refuse(
        socket,
        address,
        `it has ${ofClient}, the limit ([boot_http] max_connections_per_client)`,
      );
    told.delete(address);
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
