// Sends damaged HTTP requests to a boot HTTP server, and checks that the bodies of its answers are parts of what it serves.
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import type { BootHttpLab } from '../fakes/boot/boot-http.ts';
import { createRandom, type Random } from './inputs/random.ts';

const TARGETS = ['/none', '/../etc/passwd', '/%2e%2e/%00', '//kernel', '/kernel?a', '*', '/%zz'];
const HEADERS = [
  'range: bytes=0-9',
  'range: bytes=5-2',
  'range: bytes=-0',
  'range: bytes=0-1,4-9',
  'range: bytes=99999999999999999999-',
  'if-range: "x"',
  'if-none-match: *',
  'if-none-match: W/"a", "b',
  'if-modified-since: Thu, 01 Jan 1970 00:00:00 GMT',
  'if-unmodified-since: never',
  'content-length: 7',
  'content-length: -1',
  'transfer-encoding: chunked',
  'expect: 100-continue',
  'upgrade: websocket',
  'connection: close',
  'connection: keep-alive, upgrade',
  `cookie: ${'x'.repeat(6000)}`,
];
const BYTES = ['\0', '\r', '\n', '\r\n', '\r\n\r\n', ' ', '%', '\xff', ':', 'HTTP/1.1', '/', '=', '-'];

const SERVED = ['/kernel', '/boot.ipxe', '/image'];
const METHODS = ['HEAD', 'POST', 'OPTIONS', 'CONNECT', 'PRI', 'GET\0'];
const VERSIONS = ['HTTP/1.0', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9'];

/** Method, target and version are each ordinary three times in four, so that many requests get past the parser. */
function request(random: Random): string {
  const ordinary = () => !random.once(4);
  const method = ordinary() ? 'GET' : random.of(METHODS);
  const version = ordinary() ? 'HTTP/1.1' : random.of(VERSIONS);
  const headers = Array.from({ length: random.below(3) }, () => random.of(HEADERS));
  const target = ordinary() ? random.of(SERVED) : random.of(TARGETS);
  let text = `${method} ${target} ${version}\r\n${['host: x', ...headers].join('\r\n')}\r\n\r\n`;
  for (let changes = random.once(3) ? random.below(4) : 0; changes > 0; changes -= 1) {
    const [at, cut] = [random.below(text.length), random.below(4)];
    text = text.slice(0, at) + random.of(BYTES) + text.slice(at + cut);
  }
  return text;
}

export const KERNEL = Buffer.from('the kernel');
export const SCRIPT = Buffer.from('#!ipxe\nboot\n');
export const IMAGE = randomBytes(100_000);

/** Makes the server soon close a connection on which damage has left a request unfinished. */
export const LIMITS = { requestMilliseconds: 500 };

export interface FuzzOutcome {
  /** The number of answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The conversations in which the server sent anything other than response heads and parts of what it serves. */
  readonly strange: readonly string[];
}

/**
 * Sends the given number of requests. Each connection carries up to four of them and then an undamaged one. The server must have
 * been prepared by `serveFuzzed`.
 */
export async function fuzzBootHttp(lab: BootHttpLab, requests: number, seed: number): Promise<FuzzOutcome> {
  const random = createRandom(seed);
  const statuses: Record<string, number> = {};
  const strange: string[] = [];
  let left = requests;
  const talk = async () => {
    while (left > 0) {
      const sent = Array.from({ length: Math.min(left, 1 + random.below(4)) }, () => request(random));
      left -= sent.length;
      const received = await conversation(lab.port, sent.join(''));
      for (const [, status = ''] of received.toString('latin1').matchAll(/^HTTP\/1\.1 (\d{3}) /gm))
        statuses[status] = (statuses[status] ?? 0) + 1;
      if (!isOwn(received)) strange.push(shown(sent, received));
    }
  };
  await Promise.all(Array.from({ length: 64 }, talk));
  return { statuses, strange };
}

const shown = (sent: readonly string[], received: Buffer): string =>
  JSON.stringify({ sent: sent.join('').slice(0, 500), received: received.toString('latin1', 0, 500) });

const LAST = 'GET /kernel HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';

/** All that the server sends until it closes the connection, after the last request or because of an earlier one. */
async function conversation(port: number, text: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const socket = connect(port, '127.0.0.1');
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => undefined);
  socket.write(text + LAST, 'latin1');
  // a reset is one way to close
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return Buffer.concat(chunks);
}

/** Whether the answers consist of heads and of parts of what is served. */
function isOwn(received: Buffer): boolean {
  let rest = received;
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    const head = rest.toString('latin1', 0, end);
    if (end === -1 || !head.startsWith('HTTP/1.1 ')) return false;
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    const following = rest.subarray(end + 4);
    const isHead = following.length === 0 || following.subarray(0, 5).equals(Buffer.from('HTTP/'));
    const body = isHead ? Buffer.alloc(0) : following.subarray(0, length);
    if (![KERNEL, SCRIPT, IMAGE].some((own) => own.includes(body))) return false;
    rest = following.subarray(body.length);
  }
  return true;
}

export function serveFuzzed(lab: BootHttpLab): void {
  lab.serveFile('kernel', KERNEL);
  lab.serveFile('image', IMAGE);
  lab.files.publish('script', { 'boot.ipxe': { kind: 'bytes', bytes: SCRIPT } });
}
