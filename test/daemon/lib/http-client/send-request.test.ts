// Replies that are too large, malformed or incomplete, and sinks, which receive the bodies of replies piece by piece.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { HttpClient } from '../../../../daemon/lib/http-client/http-client.ts';
import type { Sink } from '../../../../daemon/lib/http-client/send-request.ts';
import { fakeClock } from '../../../fakes/clock.ts';
import { ended, httpServer, rawServer } from '../../../fakes/services/http-server.ts';

const replyOf = (port: number, largestReplyBytes?: number) =>
  new HttpClient({ url: `http://127.0.0.1:${port}`, clock: fakeClock() }).send({
    url: '/',
    timeoutSeconds: 5,
    ...(largestReplyBytes !== undefined && { largestReplyBytes }),
  });

const raw = async (t: TestContext, bytes: string) => replyOf((await rawServer(t, bytes)).port, 1000);

test('a body up to the limit is returned, and one byte more fails', async (t) => {
  const { port } = await httpServer(t, (_, response) => {
    // in two chunks, without a length
    response.write(Buffer.alloc(600, 'a'));
    response.end(Buffer.alloc(400, 'b'));
  });
  assert.equal((await replyOf(port, 1000)).bytes.toString(), 'a'.repeat(600) + 'b'.repeat(400));
  await assert.rejects(replyOf(port, 999), /: its reply is larger than 999 bytes$/);
});

test('a body whose announced length is too large is not read', async (t) => {
  const { port, sockets } = await httpServer(t, (_, response) => {
    response.writeHead(200, { 'content-length': '33554433' }).flushHeaders();
  });
  await assert.rejects(replyOf(port), /: its reply is larger than 32 MiB$/);
  await ended(sockets[0]!);
});

test('a body without end is cut off at the limit', async (t) => {
  let sent = 0;
  const { port, sockets } = await httpServer(t, (_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536;
    };
    response.on('drain', more);
    more();
  });
  await assert.rejects(replyOf(port, 1_048_576), /: its reply is larger than 1 MiB$/);
  await ended(sockets[0]!);
  assert.ok(sent < 64 * 1_048_576, `${sent} bytes`);
});

test('a body in chunks of one byte is received whole', async (t) => {
  const chunks = '1\r\nx\r\n'.repeat(1000);
  const { bytes } = await raw(t, `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
  assert.equal(bytes.toString(), 'x'.repeat(1000));
});

test('a body that ends with its connection is complete', async (t) => {
  assert.equal((await raw(t, 'HTTP/1.0 200 OK\r\n\r\nall of it')).bytes.toString(), 'all of it');
});

test('interim replies are skipped', async (t) => {
  const { status, headers } = await raw(
    t,
    'HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 204 No Content\r\nETag: "1"\r\n\r\n',
  );
  assert.deepEqual([status, { ...headers }], [204, { etag: ['"1"'] }]);
});

for (const [what, bytes] of [
  ['within the headers', 'HTTP/1.1 200 OK\r\nContent-Le'],
  ['within a body with a Content-Length', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345'],
  ['within a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n12345'],
  ['before the last chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n'],
  ['before the reply', ''],
] as const)
  test(`a connection that ends ${what} is an error`, async (t) => {
    await assert.rejects(raw(t, bytes), /: it closed the connection before its reply was complete$/);
  });

for (const bytes of [
  'SSH-2.0-OpenSSH_9.2p1\r\n',
  'HTTP/1.1 abc\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n123456',
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  'HTTP/1.1 200 OK\r\na b: c\r\n\r\n',
])
  test(`the reply ${JSON.stringify(bytes)} is refused as malformed`, async (t) => {
    await assert.rejects(
      raw(t, bytes),
      /: (?:Response does not match the HTTP\/1\.1 protocol \(|its reply does not have the length)/,
    );
  });

for (const [what, bytes] of [
  ['one long header', `A: ${'b'.repeat(100_000)}\r\n`],
  ['very many headers', 'A: b\r\n'.repeat(20_000)],
] as const)
  test(`a reply with ${what} is refused`, async (t) => {
    const reply = `HTTP/1.1 200 OK\r\n${bytes}\r\n`;
    await assert.rejects(raw(t, reply), /: the headers of its reply are larger than 16 KiB$/);
  });

const sunk = (port: number, sink: Sink, largestReplyBytes = 33_554_432) =>
  new HttpClient({ url: `http://127.0.0.1:${port}`, clock: fakeClock() }).send({
    url: '/',
    timeoutSeconds: 5,
    largestReplyBytes,
    sink,
  });

test('a sink gets the body of a reply with status 200, and a slow sink makes the server wait', async (t) => {
  let sent = 0;
  const { port } = await httpServer(t, (_, response) => {
    const more = () => {
      for (let flows = true; flows && sent < 200; sent += 1) flows = response.write(Buffer.alloc(65_536));
      if (sent === 200) response.end();
    };
    response.on('drain', more);
    more();
  });
  let size = 0;
  let mostAhead = 0;
  const { bytes } = await sunk(port, async (piece) => {
    await new Promise((resolve) => setImmediate(resolve));
    size += piece.length;
    mostAhead = Math.max(mostAhead, sent * 65_536 - size);
  });
  assert.equal(bytes.length, 0);
  assert.equal(size, 200 * 65_536);
  // only what the socket buffers of both sides hold, not the whole body of 12.5 MiB
  assert.ok(mostAhead < 9 * 1_048_576, `${mostAhead} bytes ahead of the sink`);
});

test('a 404 reply keeps its body, a failing sink fails the request, and the size limit also applies with a sink', async (t) => {
  const { port } = await httpServer(t, (_, response) => {
    response.writeHead(404).end('no such file');
  });
  const refused = await sunk(port, () => assert.fail('called'));
  assert.deepEqual([refused.status, refused.bytes.toString()], [404, 'no such file']);
  const good = await httpServer(t, (_, response) => {
    response.end('x'.repeat(2000));
  });
  await assert.rejects(
    sunk(good.port, () => Promise.reject(new Error('the disk is full'))),
    /the disk is full/,
  );
  await assert.rejects(
    sunk(good.port, () => Promise.resolve(), 1999),
    /larger than 1999 bytes/,
  );
});

test('a sink that takes each piece at once gets the whole of a body of many pieces', async (t) => {
  const { port } = await httpServer(t, (_, response) => {
    response.end(Buffer.alloc(3_000_000));
  });
  let size = 0;
  await sunk(port, async (piece) => void (size += piece.length));
  assert.equal(size, 3_000_000);
});

test('a sink also gets the body of a 206 reply, with the status and the headers of the reply', async (t) => {
  const { port } = await httpServer(t, (_, response) => {
    response.writeHead(206, { 'content-range': 'bytes 3-5/6' }).end('def');
  });
  const heads: unknown[] = [];
  await sunk(
    port,
    async (piece, head) =>
      void heads.push([Buffer.from(piece).toString(), head.status, head.headers['content-range']]),
  );
  assert.deepEqual(heads, [['def', 206, ['bytes 3-5/6']]]);
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A server that sends the head, then each piece in a turn of its own, and ends the connection right after the last piece. */
async function closingServer(t: TestContext, head: string, pieces: readonly (Buffer | string)[]) {
  const answer = async (socket: Socket) => {
    socket.write(`HTTP/1.1 ${head}\r\n\r\n`);
    for (const piece of pieces) {
      socket.write(piece);
      await turn();
    }
    socket.end();
  };
  const server = createServer((socket) =>
    socket.on('error', () => {}).once('data', () => void answer(socket)),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return address.port;
}

const PIECES = [1, 999, 65_536, 200_000].map((bytes) => Buffer.alloc(bytes, 'a'));
const TOTAL = 266_536;

for (const [what, head, pieces] of [
  ['a Content-Length', `200 OK\r\nContent-Length: ${TOTAL}`, PIECES],
  ['a last piece of one byte', `200 OK\r\nContent-Length: ${TOTAL}`, PIECES.toReversed()],
  ['keep-alive promised', `200 OK\r\nConnection: keep-alive\r\nContent-Length: ${TOTAL}`, PIECES],
  ['the end announced', `200 OK\r\nConnection: close\r\nContent-Length: ${TOTAL}`, PIECES],
  ['a range', `206 Partial Content\r\nContent-Length: ${TOTAL}`, PIECES],
  [
    'chunks',
    '200 OK\r\nTransfer-Encoding: chunked',
    [...PIECES.flatMap((piece) => [`${piece.length.toString(16)}\r\n`, piece, '\r\n']), '0\r\n\r\n'],
  ],
  ['no length', '200 OK\r\nConnection: close', PIECES],
] as const)
  for (const turns of [0, 1, 20])
    test(`a body with ${what} is whole although its server closes right after the last byte, and the sink takes ${turns} turns for a piece`, async (t) => {
      const port = await closingServer(t, head, pieces);
      let size = 0;
      await sunk(port, async (piece) => {
        for (let passed = 0; passed < turns; passed += 1) await turn();
        size += piece.length;
      });
      assert.equal(size, TOTAL);
    });

test('a body that lacks its last byte is not whole, also with a sink', async (t) => {
  const port = await closingServer(t, '200 OK\r\nContent-Length: 1001', [Buffer.alloc(1000)]);
  await assert.rejects(sunk(port, turn as Sink), /: it closed the connection before its reply was complete$/);
});

test('a request ends only when the sink has taken the last piece, and can be aborted until then', async (t) => {
  const { port } = await httpServer(t, (_, response) => {
    response.end('the whole body');
  });
  const taking = Promise.withResolvers<void>();
  const aborting = new AbortController();
  const failed = assert.rejects(
    new HttpClient({ url: `http://127.0.0.1:${port}`, clock: fakeClock() }).send({
      url: '/',
      timeoutSeconds: 5,
      signal: aborting.signal,
      sink: () => {
        taking.resolve();
        return new Promise(() => {});
      },
    }),
    /the daemon is stopping/,
  );
  await taking.promise;
  await turn();
  aborting.abort(new Error('the daemon is stopping'));
  await failed;
});
