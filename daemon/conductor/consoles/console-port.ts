// Offers a serial line at a TCP port, to one client at a time and without a login, as Ironic's `ipmitool-socat` does.
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Clock } from '../../lib/clock.ts';
import { INPUT_REFUSED, type SerialLine } from './serial-line.ts';
import { consoleLimits } from '../limits.ts';

export interface PortSettings {
  readonly host: string;
  readonly port: number;
  /** A client that sends nothing for this long is disconnected; 0: never. */
  readonly idleSeconds: number;
  readonly clock: Clock;
}

/** Resolves to a function that closes the port and disconnects its client. Rejects with EADDRINUSE when the port is taken. */
export async function openConsolePort(line: SerialLine, settings: PortSettings): Promise<() => void> {
  const { host, port } = settings;
  const server = createServer((client) => {
    serve(client, line, settings);
  });
  server.maxConnections = 1;
  const clients = new Set<Socket>();
  server.on('connection', (client) => {
    clients.add(client);
    client.on('close', () => clients.delete(client));
  });
  server.listen(port, host);
  await once(server, 'listening');
  return () => {
    server.close();
    for (const client of clients) client.destroy();
  };
}

function serve(client: Socket, line: SerialLine, { idleSeconds, clock }: PortSettings): void {
  client.on('error', () => {});
  const name = `${client.remoteAddress ?? 'a client'} over TCP`;
  const writer = line.write({ name, displaced: (by) => dismiss(client, `${by} has taken over.`) }, false);
  if (writer === undefined) {
    client.end(`${line.typist} types on this console.\r\n`);
    // a paused socket never closes, and the connection would keep all other clients out
    client.resume();
    return;
  }
  let cancel: (() => void) | undefined;
  const expectInput = () => {
    cancel?.();
    if (idleSeconds > 0) cancel = clock.after(idleSeconds * 1000, () => client.destroy());
  };
  expectInput();
  const stopReading = line.read({
    shown: (bytes) => show(client, bytes),
    lost: (reason) => show(client, `\r\nThe console is not connected: ${reason}\r\n`),
    connected: () => show(client, '\r\nThe console is connected again.\r\n'),
    ended: (reason) => dismiss(client, reason),
  });
  client.on('data', (bytes: Buffer) => {
    expectInput();
    if (client.writable && !writer.write(bytes)) dismiss(client, INPUT_REFUSED);
  });
  client.on('close', () => {
    cancel?.();
    stopReading();
    writer.end();
  });
}

/** Tells the client the reason, and disconnects it. */
function dismiss(client: Socket, reason: string): void {
  client.write(`${reason}\r\n`);
  client.destroySoon();
}

/** Sends the client the bytes. Disconnects a client that does not read, so that unsent bytes do not fill the memory. */
function show(client: Socket, bytes: Buffer | string): void {
  if (client.writableLength > consoleLimits.unreadBytes) client.destroy();
  else client.write(bytes);
}
