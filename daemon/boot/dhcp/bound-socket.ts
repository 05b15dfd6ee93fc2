// A UDP socket that receives and sends on one network interface only. Node.js cannot bind a socket to an interface, so another
// program must pass a bound socket: systemd (BindToDevice=) or daemon/cli/with-sockets.
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { passedSockets } from '../../lib/passed-sockets.ts';

/** An interface of this host, with its IPv4 addresses. */
export interface HostInterface {
  readonly name: string;
  readonly mac: string;
  readonly addresses: readonly string[];
}

// Node.js lists an interface only some time after its link came up; while a host starts, this takes some seconds
const LINK_PATIENCE_MILLISECONDS = 10_000;
const LINK_CHECK_MILLISECONDS = 500;

/**
 * Waits up to ten seconds until the interface has a link and an IPv4 address. Rejects with an Error when one of them is still
 * missing after that time, and at once when there is no such interface.
 */
export async function hostInterface(name: string): Promise<HostInterface> {
  for (let waited = 0; ; waited += LINK_CHECK_MILLISECONDS) {
    const found = (networkInterfaces()[name] ?? []).filter(({ family }) => family === 'IPv4');
    if (found[0] !== undefined)
      return { name, mac: found[0].mac, addresses: found.map(({ address }) => address) };
    if (waited >= LINK_PATIENCE_MILLISECONDS || !(await exists(name)))
      throw new Error(
        `[dhcp_server] subnet: interface=${name}: this host has no such interface that is up, with a link and an IPv4 address. Correct the name, connect the interface, or give it an address before the daemon starts.`,
      );
    // not Clock.after(), whose timers do not keep the process alive: while the daemon starts, nothing else keeps it alive
    await setTimeout(LINK_CHECK_MILLISECONDS);
  }
}

/** Node.js lists only interfaces with a link; /proc/self/net/dev lists all, one per line, with a colon after the name. */
async function exists(name: string): Promise<boolean> {
  const lines = (await readFile('/proc/self/net/dev', 'latin1')).split('\n');
  return lines.some((line) => line.trimStart().startsWith(`${name}:`));
}

const LOOPBACK = '127.0.0.1';
const RECEIVE_BUFFER_BYTES = 1_048_576;
const PATIENCE_MILLISECONDS = 1000;

/**
 * Opens the passed socket called `PREFIX-INTERFACE`. Rejects with an Error when there is none, or when it is not bound to
 * the interface: answers could then leave by another interface, into a network that has its own DHCP server.
 */
export async function openBoundSocket(
  prefix: 'dhcp' | 'proxydhcp',
  onInterface: HostInterface,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Socket> {
  const name = `${prefix}-${onInterface.name}`;
  const [fd] = passedSockets(name, environment);
  if (fd === undefined)
    throw new Error(
      `[dhcp_server] subnet: interface=${onInterface.name}: the daemon was passed no socket called ${name}, and does not serve DHCP without one that is bound to the interface. Enable ironic-edge-${prefix}@${onInterface.name}.socket, or start the daemon with "daemon/cli/with-sockets ${name} -- ironic-edge serve".`,
    );
  const socket = createSocket('udp4');
  try {
    // for a passed socket, Node.js emits the event during bind()
    const listening = once(socket, 'listening');
    socket.bind({ fd });
    await listening;
    // when a rack is switched on, all its machines ask at the same time
    if (socket.getRecvBufferSize() < RECEIVE_BUFFER_BYTES) socket.setRecvBufferSize(RECEIVE_BUFFER_BYTES);
    if (!(await isBoundTo(socket, onInterface)))
      throw new Error('it is not bound to the interface. Set BindToDevice= in its unit');
    return socket;
  } catch (error) {
    socket.close();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The passed socket ${name} (descriptor ${fd}) cannot be used: ${reason}.`, {
      cause: error,
    });
  }
}

/**
 * The kernel delivers a datagram from a socket to an address of the same host only when the socket is bound to no
 * interface, or to the interface that has the address. So a bound socket reaches the interface's address, but not the
 * loopback address.
 */
async function isBoundTo(socket: Socket, { addresses: [own = LOOPBACK] }: HostInterface): Promise<boolean> {
  const receiver = createSocket('udp4');
  try {
    receiver.bind(0, '0.0.0.0');
    await once(receiver, 'listening');
    const { port } = receiver.address();
    const first = once(receiver, 'message', { signal: AbortSignal.timeout(PATIENCE_MILLISECONDS) });
    // in this order: what is sent to the loopback address arrives first, or not at all
    for (const address of [LOOPBACK, own]) socket.send(address, port, address, () => {});
    const [arrived] = (await first) as [Buffer];
    return arrived.toString() === own;
  } catch {
    return false;
  } finally {
    receiver.close();
  }
}
