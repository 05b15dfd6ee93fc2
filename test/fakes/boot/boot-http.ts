// A boot HTTP server in this process, with a folder for what it serves.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { BootEvent } from '../../../daemon/boot/boot-event.ts';
import { type BootHttpOptions, startBootHttpServer } from '../../../daemon/boot/http/boot-http-server.ts';
import { createServedFiles, type ServedFiles } from '../../../daemon/boot/served-files.ts';
import type { Services } from '../../../daemon/conductor/services.ts';
import { fakeClock, type FakeClock } from '../clock.ts';
import { steadyLinks } from '../daemon/steady-links.ts';

export interface BootHttpLab {
  readonly url: string;
  readonly port: number;
  readonly files: ServedFiles;
  /** The events of the server, in order. */
  readonly events: readonly BootEvent[];
  readonly clock: FakeClock;
  readonly folder: string;
  /** Writes a file with this content, serves it as `name`, and returns the file's path. */
  serveFile(name: string, content: Uint8Array | string): string;
  /** Resolves when the server has reported an event that contains the text. */
  told(text: string): Promise<BootEvent>;
  /** Empties `events`. */
  forget(): void;
}

interface Ending {
  after(stop: () => Promise<void>): void;
}

export async function startBootHttpLab(
  test: Ending,
  limits: Partial<BootHttpOptions['limits']> = {},
): Promise<BootHttpLab> {
  const folder = mkdtempSync(path.join(tmpdir(), 'boot-http-'));
  const files = createServedFiles();
  const clock = fakeClock();
  const { events, record, told } = createEventLog();
  const server = await startBootHttpServer({
    address: { kind: 'tcp', host: '127.0.0.1', port: 0 },
    links: steadyLinks,
    limits: { connections: 1000, connectionsPerClient: 1000, ...limits },
    find: async (name) => files.find(name),
    record,
    clock,
  });
  test.after(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });
  return {
    url: server.url,
    port: Number(new URL(server.url).port),
    files,
    events,
    clock,
    folder,
    serveFile(name, content) {
      const file = path.join(folder, path.basename(name));
      writeFileSync(file, content);
      files.publish(name, { [name]: { kind: 'file', path: file } });
      return file;
    },
    told,
    forget: () => void events.splice(0),
  };
}

/** Serves what a daemon in this process publishes for machines and BMCs. Returns the URL of the server. */
export async function serveBoots(test: Ending, { served, networkBoots, clock }: Services): Promise<string> {
  const server = await startBootHttpServer({
    address: { kind: 'tcp', host: '127.0.0.1', port: 0 },
    links: steadyLinks,
    limits: { connections: 100, connectionsPerClient: 100 },
    find: async (name) => served.find(name),
    record: () => undefined,
    clock,
  });
  test.after(() => server.close());
  networkBoots.serveFrom(server.url);
  return server.url;
}

export function createEventLog() {
  const events: BootEvent[] = [];
  const waiting = new Set<() => void>();
  return {
    events,
    record: (event: BootEvent) => {
      events.push(event);
      for (const look of waiting) look();
    },
    told: (text: string) =>
      new Promise<BootEvent>((resolve) => {
        const look = () => {
          const found = events.find((event) => event.text.includes(text));
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Connects from `from` and sends `text` as it is. */
export function converse(port: number, text: string | Uint8Array, from = '127.0.0.1'): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => undefined);
  socket.write(text);
  return socket;
}

/** Everything that the server sends until it closes the connection; empty when the connection fails. */
export async function rawAnswer(port: number, text: string | Uint8Array, from?: string): Promise<Buffer> {
  return buffer(converse(port, text, from)).catch(() => Buffer.alloc(0));
}

/** One request on a separate connection; the target is sent unchanged. */
export async function ask(
  port: number,
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawAnswer> {
  const lines = Object.entries({ host: 'boot', connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const bytes = await rawAnswer(port, `${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  return parseAnswer(bytes);
}

export function parseAnswer(bytes: Buffer): RawAnswer {
  const end = bytes.indexOf('\r\n\r\n');
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const pairs = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    status: Number(first.split(' ')[1]),
    headers: Object.fromEntries(pairs) as Record<string, string>,
    body: bytes.subarray(end + 4),
  };
}
