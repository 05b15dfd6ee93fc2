// Ports of 127.0.0.1 for servers that start later, as a BMC or a ramdisk's agent does.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

const ADDRESS = '127.0.0.1';
// below the range from which Linux takes the ports of clients: a port from that range could be a client's before its server starts
const [FIRST, LAST] = [10_000, 32_767];

/** Returns a TCP port of 127.0.0.1 at which nothing listens. */
export function freeTcpPort(): Promise<number> {
  return freePort(async (port) => {
    const server = createServer().listen(port, ADDRESS);
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
  });
}

/** Returns a UDP port of 127.0.0.1 at which nothing listens. */
export function freeUdpPort(): Promise<number> {
  return freePort(async (port) => {
    const socket = createSocket('udp4').bind(port, ADDRESS);
    await once(socket, 'listening');
    socket.close();
  });
}

async function freePort(listenOnce: (port: number) => Promise<void>): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    try {
      await listenOnce(port);
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}
