// The sockets that TFTP requests arrive at: those that the service manager passed, or else one for each address.
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIpv6Socket } from '../../lib/passed-sockets.ts';
import type { Attempt, Links } from '../../lib/network/links.ts';

export interface ListenRequest {
  /** Descriptors of passed sockets. */
  readonly passed: readonly number[];
  readonly addresses: readonly string[];
  readonly port: number;
}

/**
 * Passes each socket to `add`: at once, or when this host has got the socket's address. Rejects with an Error when a socket cannot
 * be opened, or is bound to 0.0.0.0 or ::.
 */
export async function openListeners(
  { passed, addresses, port }: ListenRequest,
  links: Pick<Links, 'follow'>,
  add: (socket: Socket) => void,
): Promise<void> {
  if (passed.length > 0) {
    for (const fd of passed) add(await opened({ fd }, `the passed socket tftp (descriptor ${fd})`));
    return;
  }
  for (const address of addresses) {
    const attempt = async (): Promise<Attempt> => {
      try {
        add(await opened({ address, port }, `${address} port ${port}`));
        return 'done';
      } catch (error) {
        const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
        if (cause?.code !== 'EADDRNOTAVAIL') throw error;
        return {
          missing: `this host does not have ${address}; give it the address, or set [tftp_server] addresses`,
        };
      }
    };
    await links.follow({ what: `TFTP at ${address}`, attempt });
  }
}

type Place = { readonly fd: number } | { readonly address: string; readonly port: number };

const typeOf = (place: Place) =>
  ('address' in place ? place.address.includes(':') : isIpv6Socket(place.fd)) ? 'udp6' : 'udp4';

async function opened(place: Place, name: string): Promise<Socket> {
  const socket = createSocket(typeOf(place));
  try {
    await bound(socket, place, name);
    return socket;
  } catch (error) {
    socket.close();
    throw error;
  }
}

async function bound(socket: Socket, place: Place, name: string): Promise<void> {
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
  const { address } = socket.address();
  if (address === '0.0.0.0' || address === '::')
    throw new Error(`Cannot serve TFTP on ${name}: list the addresses of this host instead of ${address}.`);
}

function advice({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'EADDRINUSE') return 'another program serves there; stop it, or change [tftp_server]';
  if (code === 'EACCES') return 'ports below 1024 need CAP_NET_BIND_SERVICE, or a socket unit';
  return message;
}
