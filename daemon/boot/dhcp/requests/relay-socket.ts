// The socket of a site whose machines are all behind relays. It is bound to one address of this host, so it gets what relays send
// there, and never a broadcast: an answer goes to the relay that asked, whatever interface leads to it.
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { passedSockets } from '../../../lib/passed-sockets.ts';
import { SERVER_PORT } from '../reply.ts';

const NAME = 'dhcp-relay';

/**
 * Opens the passed socket called `dhcp-relay`, or else one at `address`; resolves with undefined when this host does not have the
 * address. Rejects with an Error when it cannot be opened, and for a passed socket that is bound to all addresses.
 */
export async function openRelaySocket(
  address: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Socket | undefined> {
  const [fd] = passedSockets(NAME, environment);
  const socket = createSocket('udp4');
  try {
    // for a passed socket, Node.js emits the event during bind()
    const listening = once(socket, 'listening');
    socket.bind(fd === undefined ? { address, port: SERVER_PORT } : { fd });
    await listening;
    if (socket.address().address === '0.0.0.0')
      throw new Error(
        'it is bound to all addresses of this host, and would hear every network. Name one address in its unit',
      );
    return socket;
  } catch (error) {
    socket.close();
    if ((error as NodeJS.ErrnoException).code === 'EADDRNOTAVAIL') return undefined;
    const place = fd === undefined ? `${address} port ${SERVER_PORT}` : `the passed socket ${NAME}`;
    throw new Error(`DHCP relays cannot be served on ${place}: ${advice(error as NodeJS.ErrnoException)}.`, {
      cause: error,
    });
  }
}

function advice({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'EADDRINUSE') return 'another program serves there; stop it';
  if (code !== 'EACCES') return message;
  return `ports below 1024 need CAP_NET_BIND_SERVICE: enable ironic-edge-${NAME}@ADDRESS.socket, or start the daemon with "daemon/cli/with-sockets ${NAME}=ADDRESS:${SERVER_PORT} -- ironic-edge serve"`;
}
