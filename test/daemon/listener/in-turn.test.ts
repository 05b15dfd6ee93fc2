import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { inTurn, WAITING_LIMIT } from '../../../daemon/listener/in-turn.ts';

/** A connection to a server that handles requests with `serve`, and the server end of it. */
async function connected(context: TestContext, serve: Parameters<typeof inTurn>[0]) {
  const server = createServer(inTurn(serve).serve);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  context.after(() => {
    client.destroy();
    server.close();
  });
  const [serverEnd] = (await accepted) as [Socket];
  return { client, serverEnd };
}

const requests = (count: number) =>
  Array.from({ length: count }, (_, index) => `GET /${index} HTTP/1.1\r\nHost: x\r\n\r\n`).join('');

/** Reads until the server closes the connection or `enough` matches. */
async function received(client: Socket, enough = /never/): Promise<string> {
  let text = '';
  for await (const chunk of client) {
    text += String(chunk);
    if (enough.test(text)) break;
  }
  return text;
}

/** Resolves when the socket has a timeout of this many milliseconds. */
async function hasTimeout(socket: Socket, milliseconds: number): Promise<void> {
  while (socket.timeout !== milliseconds) await new Promise((resolve) => setImmediate(resolve));
}

const pathsIn = (text: string) => [...text.matchAll(/^served (\S+)$/gm)].map(([, path]) => path);

test('the requests of one connection are served one at a time and in order', async (context) => {
  let running = 0;
  let most = 0;
  const { client } = await connected(context, (request, response) => {
    running += 1;
    most = Math.max(most, running);
    setImmediate(() => {
      running -= 1;
      response.end(`served ${request.url}\n`);
    });
  });
  client.write(requests(20));
  const paths = pathsIn(await received(client, /served \/19\n/));
  assert.deepEqual(
    paths,
    Array.from({ length: 20 }, (_, index) => `/${index}`),
  );
  assert.equal(most, 1);
});

test('a connection on which too many requests wait is closed, and most of the further requests are never read', async (context) => {
  const served: (string | undefined)[] = [];
  const { client, serverEnd } = await connected(context, (request) => {
    served.push(request.url);
  });
  client.on('error', () => undefined);
  client.write(requests(WAITING_LIMIT + 1));
  while (serverEnd.bytesRead < client.bytesWritten) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(serverEnd.destroyed, false);
  client.write(requests(100_000));
  await once(serverEnd, 'close');
  assert.deepEqual(served, ['/0']);
  assert.ok(serverEnd.bytesRead < 200_000, String(serverEnd.bytesRead));
});

test('a client that does not read its response gets a timeout, and its next request is not served', async (context) => {
  let served = 0;
  const { client, serverEnd } = await connected(context, (_request, response) => {
    served += 1;
    response.end('x'.repeat(16_777_216));
  });
  client.pause();
  client.write(requests(10));
  await hasTimeout(serverEnd, 30_000);
  assert.equal(served, 1);
});

test('the timeout of a response that its client read late does not apply to the next request', async (context) => {
  const { client, serverEnd } = await connected(context, (request, response) => {
    if (request.url === '/0') response.end('x'.repeat(16_777_216));
  });
  client.pause();
  client.write(requests(2));
  await hasTimeout(serverEnd, 30_000);
  client.resume();
  await hasTimeout(serverEnd, 0);
});
