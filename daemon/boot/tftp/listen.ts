// The sockets that TFTP requests arrive at: those that the service manager passed, or else one for each address.
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

export interface ListenRequest {
  /** Descriptors of passed sockets. */
  readonly passed: readonly number[];
  readonly addresses: readonly string[];
  readonly port: number;
}

/** Rejects with an Error when one of the sockets cannot be opened, or is bound to 0.0.0.0. */
export async function openListeners({ passed, addresses, port }: ListenRequest): Promise<readonly Socket[]> {
  const wishes =
    passed.length > 0
      ? passed.map((fd) => ({ fd, name: `the passed socket tftp (descriptor ${fd})` }))
      : addresses.map((address) => ({ address, port, name: `${address} port ${port}` }));
  const sockets: Socket[] = [];
  try {
    for (const { name, ...place } of wishes) {
      const socket = createSocket('udp4');
      sockets.push(socket);
      await bound(socket, place, name);
    }
  } catch (error) {
    for (const socket of sockets) socket.close();
    throw error;
  }
  return sockets;
}

async function bound(socket: Socket, place: object, name: string): Promise<void> {
  try {
    // called before bind: with a descriptor, Node.js emits 'listening' before bind returns
    const listening = once(socket, 'listening');
    socket.bind(place);
    await listening;
  } catch (error) {
    throw new Error(`Cannot serve TFTP on ${name}: ${advice(error as NodeJS.ErrnoException)}.`, {
      cause: error,
    });
  }
  // Node.js does not tell which address of the host a packet was sent to, and the reply must come from that address
  if (socket.address().address === '0.0.0.0')
    throw new Error(`Cannot serve TFTP on ${name}: list the addresses of this host instead of 0.0.0.0.`);
}

function advice({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'EADDRINUSE') return 'another program serves there; stop it, or change [tftp_server]';
  if (code === 'EADDRNOTAVAIL') return 'this host does not have the address; set [tftp_server] addresses';
  if (code === 'EACCES') return 'ports below 1024 need CAP_NET_BIND_SERVICE, or a socket unit';
  return message;
}
