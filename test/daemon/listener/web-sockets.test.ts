import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, test, type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import type { ClientSocket } from '../../../daemon/lib/socket-service.ts';
import { listen, type ListenOptions } from '../../../daemon/listener/listen.ts';
import type { Fetch } from '../../../daemon/listener/upgrades.ts';
import {
  LARGEST_MESSAGE_BYTES,
  MOST_UNREAD_BYTES,
  PING_MILLISECONDS,
} from '../../../daemon/listener/web-sockets.ts';
import { authority, certificateFiles } from '../../fakes/services/certificates.ts';
import { fakeClock } from '../../fakes/clock.ts';
import { fakeLogger } from '../../fakes/task.ts';
import { steadyLinks } from '../../fakes/daemon/steady-links.ts';

const tcp: ListenOptions = {
  section: 'api',
  address: { kind: 'tcp', host: '127.0.0.1', port: 0 },
  tls: null,
};

/** A listener whose path /socket is a WebSocket that sends back what it gets; any other path answers with its name. */
async function start(t: TestContext, options = tcp) {
  const clock = fakeClock();
  const happened: string[] = [];
  const clients: ClientSocket[] = [];
  const fetch: Fetch = async (request, { upgrade, incoming }) => {
    const { pathname, searchParams } = new URL(request.url);
    if (searchParams.has('late')) await new Promise((resolve) => void incoming.socket.once('close', resolve));
    if (pathname !== '/socket') return new Response(pathname, { status: upgrade ? 404 : 200 });
    let client: ClientSocket;
    upgrade?.({
      opened(socket) {
        client = socket;
        clients.push(socket);
        happened.push('opened');
      },
      received(bytes) {
        happened.push(`received ${bytes.length}`);
        client.send(bytes);
      },
      closed: () => void happened.push('closed'),
    });
    return new Response(null, { status: 204 });
  };
  const listener = await listen(fetch, options, { log: fakeLogger(), clock, links: steadyLinks });
  const closed = async () => {
    while (happened.at(-1) !== 'closed') await turn();
  };
  t.after(async () => {
    const ended = listener.close();
    listener.closeConnections();
    await ended;
  });
  return { ...listener, clock, happened, clients, closed };
}

async function opened(url: string, options: object = {}): Promise<WebSocket> {
  const socket = new WebSocket(url, options);
  await once(socket, 'open');
  return socket;
}

const echoed = async (socket: WebSocket, text: string): Promise<string> => {
  socket.send(Buffer.from(text));
  const [message] = (await once(socket, 'message')) as [Buffer];
  return message.toString();
};

const closing = async (socket: WebSocket): Promise<string> => {
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
  return `${code} ${reason.toString()}`;
};

/** A client that speaks no protocol: it sends `text` and keeps what it gets. */
async function rawClient(t: TestContext, url: string, text: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  t.after(() => void socket.destroy());
  let got = '';
  socket.on('data', (bytes: Buffer) => (got += bytes.toString('latin1')));
  await once(socket, 'connect');
  socket.write(text);
  const closed = new Promise((resolve) => void socket.once('close', resolve));
  return { socket, got: () => got, closed };
}

const HANDSHAKE = [
  'GET /socket HTTP/1.1',
  'Host: 127.0.0.1',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  '\r\n',
].join('\r\n');

/** A client that has made its handshake and reads nothing more. */
async function deafClient(t: TestContext, url: string): Promise<Socket> {
  const { socket, got } = await rawClient(t, url, HANDSHAKE);
  while (!got().includes('101 Switching')) await turn();
  socket.pause();
  return socket;
}

/** A frame of a client with a mask of zeros. */
function frame(firstByte: number, length: number): Buffer {
  const header = length < 126 ? [0x80 | length] : [0x80 | 126, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([firstByte, ...header, 0, 0, 0, 0]), Buffer.alloc(length, 'x')]);
}

const socketOf = (url: string) => url.replace('http', 'ws') + '/socket';

describe('WebSockets of a listener', () => {
  test('a client over TCP, over TLS and over a socket file sends and gets messages', async (t) => {
    const plain = await start(t);
    assert.equal(await echoed(await opened(socketOf(plain.url)), 'plain'), 'plain');

    const { cert, key } = certificateFiles(t);
    const tls = { cert_file: cert, key_file: key, tls_minimum_version: '1.3' as const };
    const secure = await start(t, { ...tcp, tls });
    assert.equal(await echoed(await opened(socketOf(secure.url), { ca: authority() }), 'tls'), 'tls');

    const folder = mkdtempSync(join(tmpdir(), 'socket-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'api.sock');
    await start(t, { ...tcp, address: { kind: 'unix', path } });
    assert.equal(await echoed(await opened(`ws+unix:${path}:/socket`), 'file'), 'file');
  });

  test('a service is told once that its client has gone, however it goes', async (t) => {
    const { url, happened, closed } = await start(t);
    (await opened(socketOf(url))).close();
    await closed();
    (await opened(socketOf(url))).terminate();
    await closed();
    const wrong = await rawClient(t, url, HANDSHAKE.replace('Sec-WebSocket-Key', 'X'));
    await wrong.closed;
    const hasty = await rawClient(t, url, HANDSHAKE.replace('/socket', '/socket?late'));
    hasty.socket.resetAndDestroy();
    while (happened.length < 6) await turn();
    assert.deepEqual(happened, ['opened', 'closed', 'opened', 'closed', 'closed', 'closed']);
  });

  test('a WebSocket request for a path without a WebSocket gets a whole 404 answer, and its connection is closed', async (t) => {
    const { url } = await start(t);
    const client = await rawClient(t, url, HANDSHAKE.replace('/socket', '/other'));
    await client.closed;
    assert.match(client.got(), /^HTTP\/1\.1 404 Not Found\r\n[^]*connection: close\r\n[^]*\r\n\r\n\/other$/i);
  });

  test('a request that offers an upgrade to HTTP/2 is answered as a plain request, and its connection stays open', async (t) => {
    const { url } = await start(t);
    const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings:\r\n';
    const client = await rawClient(t, url, `GET /first HTTP/1.1\r\nHost: x\r\n${offer}\r\n`);
    while (!client.got().includes('/first')) await turn();
    client.socket.write('GET /second HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await client.closed;
    assert.match(client.got(), /^HTTP\/1\.1 200 OK[^]*\/first[^]*HTTP\/1\.1 200 OK[^]*\/second$/);
  });

  test('a WebSocket that is requested while an earlier request is being answered is not opened', async (t) => {
    const { url, happened } = await start(t);
    const first = 'GET /first HTTP/1.1\r\nHost: x\r\n\r\n';
    const client = await rawClient(t, url, first + HANDSHAKE);
    while (!client.got().includes('204')) await turn();
    assert.match(client.got(), /^HTTP\/1\.1 200 OK[^]*\/first[^]*HTTP\/1\.1 204/);
    assert.deepEqual(happened, []);
  });

  test('a message that is too large, a frame without a mask, an unknown opcode and reserved bits end the connection', async (t) => {
    const { url, happened, closed } = await start(t);
    const largest = await opened(socketOf(url));
    largest.send(Buffer.alloc(LARGEST_MESSAGE_BYTES));
    await once(largest, 'message');
    largest.send(Buffer.alloc(LARGEST_MESSAGE_BYTES + 1));
    assert.match(await closing(largest), /^1009/);
    for (const hostile of [Buffer.from([0x82, 0x01, 0x78]), frame(0x8b, 0), frame(0xf2, 1)]) {
      const client = await rawClient(t, url, HANDSHAKE);
      while (!client.got().includes('101 Switching')) await turn();
      client.socket.write(hostile);
      await client.closed;
      await closed();
    }
    assert.equal(happened.filter((what) => what.startsWith('received')).length, 1);
  });

  test('fragments without an end, and pings of a client that reads no answer, end the connection', async (t) => {
    const { url, closed, happened } = await start(t);
    const fragments = await deafClient(t, url);
    fragments.write(frame(0x02, 1000));
    for (let count = 0; count < 70; count += 1) fragments.write(frame(0x00, 1000));
    await closed();
    const pings = await deafClient(t, url);
    const manyPings = Buffer.concat(Array(1000).fill(frame(0x89, 125)));
    while (happened.at(-1) !== 'closed') {
      pings.write(manyPings);
      await turn();
    }
    assert.deepEqual(happened, ['opened', 'closed', 'opened', 'closed']);
  });

  test('a client that does not read is told so and disconnected, and the messages that wait for it are bounded', async (t) => {
    const { url, clients, happened } = await start(t);
    const socket = await opened(socketOf(url));
    socket.pause();
    const chunk = Buffer.alloc(65_536, 'x');
    let sent = 0;
    for (; happened.at(-1) !== 'closed' && sent < 1000; sent += 1) {
      clients[0]?.send(chunk);
      await turn();
    }
    assert.equal(happened.at(-1), 'closed');
    const ended = closing(socket);
    socket.on('message', () => {});
    socket.resume();
    assert.match(
      await ended,
      new RegExp(`^1008 This client does not read: more than ${MOST_UNREAD_BYTES} bytes`),
    );
  });

  test('clients get pings, and one that has not answered a ping when the next is due is disconnected', async (t) => {
    const { url, clock, closed, happened } = await start(t);
    const alive = await opened(socketOf(url));
    const pinged = once(alive, 'ping');
    await clock.advance(PING_MILLISECONDS);
    await pinged;
    assert.equal(await echoed(alive, 'still here'), 'still here');
    alive.close();
    await closed();
    await deafClient(t, url);
    await clock.advance(PING_MILLISECONDS);
    assert.notEqual(happened.at(-1), 'closed');
    await clock.advance(PING_MILLISECONDS);
    await closed();
  });

  test('the reason of a close frame is cut where a character ends', async (t) => {
    const { url, clients } = await start(t);
    const socket = await opened(socketOf(url));
    const ended = closing(socket);
    clients[0]?.close(1008, `a${'é'.repeat(100)}`);
    assert.equal(await ended, `1008 a${'é'.repeat(61)}`);
  });

  test('close sends close frames; closeConnections ends the connections of clients that do not answer them', async (t) => {
    const { happened, ...listener } = await start(t);
    const { url } = listener;
    const polite = await opened(socketOf(url));
    await deafClient(t, url);
    const goodbye = closing(polite);
    // fake timers: the time that a client has for its answer never ends
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const closed = listener.close();
    assert.equal(await goodbye, '1001 The service is stopping.');
    listener.closeConnections();
    await closed;
    while (happened.filter((what) => what === 'closed').length < 2) await turn();
  });
});
