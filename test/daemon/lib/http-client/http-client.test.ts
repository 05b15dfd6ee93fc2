// Requests of the HTTP client to real servers: methods, headers, kept connections, redirects and time limits.
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test, type TestContext } from 'node:test';
import { HttpClient, type HttpRequest } from '../../../../daemon/lib/http-client/http-client.ts';
import { HttpFailure } from '../../../../daemon/lib/http-client/http-failure.ts';
import { fakeClock, settled } from '../../../fakes/clock.ts';
import { ended, httpServer, rawServer } from '../../../fakes/services/http-server.ts';

const text = async (message: IncomingMessage) => Buffer.concat(await Array.fromAsync(message)).toString();

const clientOf = (t: TestContext, port: number, settings: { readonly idleSeconds?: number } = {}) => {
  const clock = fakeClock();
  const client = new HttpClient({ url: `http://127.0.0.1:${port}`, clock, ...settings });
  t.after(() => client.close());
  const send = (request: Partial<HttpRequest> = {}) =>
    client.send({ url: '/', timeoutSeconds: 5, ...request });
  return { client, clock, send };
};

/** Echoes method, URL, headers and body of each request. */
const echo = (t: TestContext) =>
  httpServer(t, async (message, response) => {
    const { method, url, headers } = message;
    response.end(JSON.stringify({ method, url, headers, body: await text(message) }));
  });

interface Echo {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const echoed = ({ bytes }: { readonly bytes: Buffer }) => JSON.parse(bytes.toString()) as Echo;

test('every method is sent with its body and the query of its URL', async (t) => {
  const { port } = await echo(t);
  const { send } = clientOf(t, port);
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const body = method === 'GET' ? undefined : Buffer.from(`{"of":"${method}"}`);
    const got = echoed(await send({ method, url: '/a/b?c=d%20e', ...(body && { body }) }));
    assert.deepEqual([got.method, got.url, got.body], [method, '/a/b?c=d%20e', body?.toString() ?? '']);
  }
});

test('HEAD returns the headers, even if the body that they announce would be too large', async (t) => {
  const { port } = await httpServer(t, (_, response) => {
    response.writeHead(200, { 'content-length': '4000000000' }).end();
  });
  const reply = await clientOf(t, port).send({ method: 'HEAD' });
  assert.deepEqual(reply.headers['content-length'], ['4000000000']);
  assert.equal(reply.bytes.length, 0);
});

test('bodies are JSON unless headers say otherwise, whatever the case of their names', async (t) => {
  const { port } = await echo(t);
  const { send } = clientOf(t, port);
  const plain = echoed(await send({ method: 'POST', body: '{}' })).headers;
  assert.deepEqual([plain['accept'], plain['content-type']], ['application/json', 'application/json']);
  const given = { Accept: '*/*', 'Content-Type': 'application/octet-stream', 'x-auth-token': 'secret' };
  const own = echoed(await send({ method: 'PUT', body: Buffer.from([0, 255]), headers: given })).headers;
  assert.deepEqual(
    [own['accept'], own['content-type'], own['x-auth-token'], own['content-length']],
    ['*/*', 'application/octet-stream', 'secret', '2'],
  );
  assert.equal(echoed(await send()).headers['content-type'], undefined);
});

test('headers with several values keep them in both directions', async (t) => {
  const { port } = await httpServer(t, ({ rawHeaders }, response) => {
    const given = rawHeaders.filter((_, index) => rawHeaders[index - 1]?.toLowerCase() === 'if-match');
    response.setHeader('ETag', 'W/"1"').setHeader('Location', '/redfish/v1/TaskService/Tasks/1');
    response.setHeader('X-Given', given).setHeader('Set-Cookie', ['a=1; Path=/', 'b=2']);
    response.writeHead(202).end();
  });
  const { status, headers } = await clientOf(t, port).send({ headers: { 'if-match': ['"1"', '"2"'] } });
  assert.equal(status, 202);
  assert.deepEqual(headers['etag'], ['W/"1"']);
  assert.deepEqual(headers['location'], ['/redfish/v1/TaskService/Tasks/1']);
  assert.deepEqual(headers['x-given'], ['"1"', '"2"']);
  assert.deepEqual(headers['set-cookie'], ['a=1; Path=/', 'b=2']);
  assert.equal(headers['constructor'], undefined);
});

test('a header that would split the request is refused', async (t) => {
  const { port, sockets } = await echo(t);
  const { send } = clientOf(t, port);
  await assert.rejects(send({ headers: { 'x-name': 'a\r\nx-evil: b' } }), /invalid x-name header$/);
  assert.deepEqual(sockets, []);
});

test('user and password of the URL are sent, and an error names neither them nor the query of the URL', async (t) => {
  const { port, sockets } = await echo(t);
  const url = `http://us%3Aer:p%40ss@127.0.0.1:${port}/v1/`;
  const client = new HttpClient({ url, clock: fakeClock() });
  const { headers, url: path } = echoed(await client.send({ url: 'nodes', timeoutSeconds: 5 }));
  assert.equal(headers['authorization'], `Basic ${Buffer.from('us:er:p@ss').toString('base64')}`);
  assert.equal(path, '/v1/nodes');
  client.close();
  await assert.rejects(client.send({ url: 'nodes?token=secret', timeoutSeconds: 5 }), {
    message: `GET http://127.0.0.1:${port}/v1/nodes: the client was closed`,
    reason: 'the client was closed',
  });
  assert.equal(sockets.length, 1);
  const odd = new HttpClient({ url: `http://user:100%@127.0.0.1:${port}`, clock: fakeClock() });
  const sent = echoed(await odd.send({ url: '/', timeoutSeconds: 5 }));
  assert.equal(sent.headers['authorization'], `Basic ${Buffer.from('user:100%').toString('base64')}`);
});

test("a request to a server other than the client's is not sent", async (t) => {
  const { port, sockets } = await echo(t);
  const { send } = clientOf(t, port);
  for (const url of ['http://127.0.0.2/', `https://127.0.0.1:${port}/`, '//localhost/'])
    await assert.rejects(
      send({ url }),
      /expected a URL of http:\/\/127\.0\.0\.1:\d+, but the request leads to http/,
    );
  await assert.rejects(send({ url: 'http://[' }), TypeError);
  assert.deepEqual(sockets, []);
});

test('without an idle time each request has its own connection, which is closed after the reply', async (t) => {
  const { port, sockets } = await echo(t);
  const { send } = clientOf(t, port);
  assert.equal(echoed(await send()).headers['connection'], 'close');
  await send();
  assert.equal(sockets.length, 2);
  await Promise.all(sockets.map(ended));
});

test('requests to one server share one kept connection, also when they are sent at once', async (t) => {
  const { port, sockets } = await echo(t);
  const { send } = clientOf(t, port, { idleSeconds: 60 });
  await send();
  const urls = ['/1', '/2', '/3'];
  const replies = await Promise.all(urls.map((url) => send({ url })));
  assert.deepEqual(
    replies.map((reply) => echoed(reply).url),
    urls,
  );
  assert.equal(sockets.length, 1);
});

test('a kept connection ends after its idle time', async (t) => {
  const { port, sockets } = await echo(t);
  const { send } = clientOf(t, port, { idleSeconds: 0.05 });
  await send();
  await ended(sockets[0]!);
  await send();
  assert.equal(sockets.length, 2);
});

test('a kept connection that the server has closed is opened again', async (t) => {
  const { port, sockets } = await echo(t);
  const { send } = clientOf(t, port, { idleSeconds: 60 });
  await send();
  sockets[0]!.destroy();
  await ended(sockets[0]!);
  // the client notices the closed connection in a later turn of the event loop
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(echoed(await send({ url: '/again' })).url, '/again');
  assert.equal(sockets.length, 2);
});

test('close ends the kept connection and fails the requests that are under way', async (t) => {
  const { port, sockets } = await httpServer(t, ({ url }, response) => {
    if (url === '/') response.end();
  });
  const { client, clock, send } = clientOf(t, port, { idleSeconds: 60 });
  await send();
  const slow = assert.rejects(send({ url: '/slow' }), /\/slow: the client was closed$/);
  const queued = assert.rejects(send({ url: '/queued' }), /\/queued: the client was closed$/);
  const end = ended(sockets[0]!);
  client.close();
  await Promise.all([slow, queued, end]);
  assert.equal(clock.pending, 0);
});

test('redirects are returned unless the request asks to follow them', async (t) => {
  const { port } = await httpServer(t, (_, response) => {
    response.writeHead(308, { location: '/there' }).end();
  });
  const { status, headers } = await clientOf(t, port).send();
  assert.deepEqual([status, headers['location']], [308, ['/there']]);
});

test('redirects to the same server are followed with the same method, body and headers', async (t) => {
  const seen: unknown[] = [];
  const { port, sockets } = await httpServer(t, async (message, response) => {
    const { method, url, headers } = message;
    seen.push([method, url, headers['x-auth-token'], await text(message)]);
    if (url === '/a/first') response.writeHead(307, { location: '../second?x=1' });
    response.end();
  });
  const { send } = clientOf(t, port, { idleSeconds: 60 });
  const headers = { 'x-auth-token': 'secret' };
  const reply = await send({ method: 'PATCH', url: '/a/first', body: '{}', headers, redirects: 1 });
  assert.equal(reply.status, 200);
  assert.deepEqual(seen, [
    ['PATCH', '/a/first', 'secret', '{}'],
    ['PATCH', '/second?x=1', 'secret', '{}'],
  ]);
  assert.equal(sockets.length, 1);
});

test('a redirect that would change the method is returned', async (t) => {
  const { port } = await httpServer(t, ({ method, url }, response) => {
    if (url === '/') response.writeHead(303, { location: '/there' });
    response.end(method);
  });
  const { send } = clientOf(t, port);
  assert.equal((await send({ method: 'POST', body: '{}', redirects: 3 })).status, 303);
  assert.equal((await send({ redirects: 3 })).status, 200);
});

test('a request that is redirected to another server fails, and that server gets no request', async (t) => {
  const other = await echo(t);
  const { port } = await httpServer(t, (_, response) => {
    response.writeHead(302, { location: `http://localhost:${other.port}/` }).end();
  });
  const { send } = clientOf(t, port);
  await assert.rejects(send({ redirects: 3 }), /the request leads to http:\/\/localhost:/);
  assert.deepEqual(other.sockets, []);
});

test('a request that is redirected in a circle fails after the allowed number of redirects', async (t) => {
  let count = 0;
  const { port } = await httpServer(t, (_, response) => {
    count += 1;
    response.writeHead(302, { location: '/' }).end();
  });
  await assert.rejects(clientOf(t, port).send({ redirects: 4 }), /expected at most 4 redirects$/);
  assert.equal(count, 5);
});

for (const [what, begin] of [
  ['sends nothing', ''],
  ['stops in its headers', 'HTTP/1.1 200 OK\r\nA: '],
  ['stops in its body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{'],
] as const)
  test(`a request to a server that ${what} fails at its time limit`, async (t) => {
    const { port, sockets } = await rawServer(t, begin, true);
    const { clock, send } = clientOf(t, port, { idleSeconds: 60 });
    const failed = assert.rejects(send(), /: no complete reply within 5 s$/);
    while (sockets[0]?.bytesWritten !== begin.length || sockets[0].bytesRead === 0) await settled();
    await clock.advance(4999);
    assert.equal(sockets[0].destroyed, false);
    const end = ended(sockets[0]);
    await clock.advance(1);
    await Promise.all([failed, end]);
    assert.equal(clock.pending, 0);
  });

test('the time limit of a request includes the wait for earlier requests, and redirects', async (t) => {
  const { port } = await httpServer(t, ({ url }, response) => {
    if (url === '/redirected') response.writeHead(302, { location: '/slow' }).end();
  });
  const { clock, send } = clientOf(t, port, { idleSeconds: 60 });
  const first = assert.rejects(send({ url: '/redirected', redirects: 1, timeoutSeconds: 60 }), /within 60 s/);
  const queued = assert.rejects(send({ timeoutSeconds: 30 }), /within 30 s/);
  await clock.advance(30_000);
  await queued;
  await clock.advance(30_000);
  await first;
});

test('an aborted request rejects with the reason of its signal, and its connection is closed', async (t) => {
  const asked = Promise.withResolvers<void>();
  const { port, sockets } = await httpServer(t, () => asked.resolve());
  const { send } = clientOf(t, port, { idleSeconds: 60 });
  const aborting = new AbortController();
  const reason = new Error('the daemon is stopping');
  const failed = assert.rejects(send({ signal: aborting.signal }), reason);
  await asked.promise;
  const end = ended(sockets[0]!);
  aborting.abort(reason);
  await Promise.all([failed, end]);
  await assert.rejects(send({ signal: aborting.signal }), reason);
});

test('an aborted request does not affect the requests behind it in the queue', async (t) => {
  const asked = Promise.withResolvers<void>();
  const { port } = await httpServer(t, ({ url }, response) => {
    if (url === '/stuck') asked.resolve();
    else response.end(url);
  });
  const { send } = clientOf(t, port, { idleSeconds: 60 });
  const aborting = new AbortController();
  const stuck = assert.rejects(send({ url: '/stuck', signal: aborting.signal }));
  const next = send({ url: '/next' });
  await asked.promise;
  aborting.abort();
  await stuck;
  assert.equal((await next).bytes.toString(), '/next');
});

test('a connection that is refused is an error with its reason and cause', async (t) => {
  const { send } = clientOf(t, 9);
  await assert.rejects(send(), (error) => {
    assert.ok(error instanceof HttpFailure);
    assert.equal(error.message, 'GET http://127.0.0.1:9/: connect ECONNREFUSED 127.0.0.1:9');
    assert.equal((error.cause as NodeJS.ErrnoException).code, 'ECONNREFUSED');
    return true;
  });
  const both = new HttpClient({ url: 'http://localhost:9', clock: fakeClock() });
  await assert.rejects(both.send({ url: '/', timeoutSeconds: 5 }), /\/: connect ECONNREFUSED .*:9$/);
});
