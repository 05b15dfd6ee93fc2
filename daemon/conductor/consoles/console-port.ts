// Offers a serial line at a TCP port, to one client at a time and without a login, as Ironic's `ipmitool-socat` does.
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Clock } from '../../lib/clock.ts';
import type { SerialLine } from './serial-line.ts';

export interface PortSettings {
  readonly host: string;
  readonly port: number;
  /** A client that has sent nothing for so long is disconnected; 0: never. */
  readonly idleSeconds: number;
  readonly clock: Clock;
}

/** Resolves to what closes the port. Rejects with EADDRINUSE when another program has it. */
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
  const writer = line.write();
  if (writer === undefined) {
    client.end('Another client writes to this console.\r\n');
    return;
  }
  let cancel: (() => void) | undefined;
  const expectInput = () => {
    cancel?.();
    if (idleSeconds > 0) cancel = clock.after(idleSeconds * 1000, () => client.destroy());
  };
  expectInput();
  const stopReading = line.read((bytes) => show(client, bytes));
  client.on('data', (bytes: Buffer) => {
    expectInput();
    if (client.writable && !writer.write(bytes)) refuseInput(client);
  });
  client.on('close', () => {
    cancel?.();
    stopReading();
    writer.end();
  });
}

function refuseInput(client: Socket): void {
  client.write('The console does not take what is typed. Disable and enable it, then connect again.\r\n');
  client.destroySoon();
}

const MOST_UNREAD_BYTES = 1_048_576;

/** A client that does not read is disconnected, so that its output does not pile up. */
function show(client: Socket, bytes: Buffer): void {
  if (client.writableLength > MOST_UNREAD_BYTES) client.destroy();
  else client.write(bytes);
}
