// Requests of the HTTP client whose bodies are read while they are sent.
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { test, type TestContext } from 'node:test';
import { HttpClient, type HttpRequest } from '../../../../daemon/lib/http-client/http-client.ts';
import { fakeClock } from '../../../fakes/clock.ts';
import { httpServer } from '../../../fakes/services/http-server.ts';

const text = async (message: IncomingMessage) => Buffer.concat(await Array.fromAsync(message)).toString();

function clientOf(t: TestContext, port: number) {
  const client = new HttpClient({ url: `http://127.0.0.1:${port}`, clock: fakeClock() });
  t.after(() => client.close());
  return (request: Partial<HttpRequest>) => client.send({ url: '/', timeoutSeconds: 5, ...request });
}

test('a streamed body is sent with its length and type, and again after a redirect', async (t) => {
  const { port } = await httpServer(t, async (message, response) => {
    const body = await text(message);
    if (message.url === '/old') response.writeHead(307, { location: '/new' });
    const { 'content-length': length, 'content-type': type } = message.headers;
    response.end(JSON.stringify([length, type, body.length, body.slice(-4)]));
  });
  const send = clientOf(t, port);
  const piece = Buffer.alloc(65_536, 'x');
  const body = {
    bytes: 50 * piece.length + 3,
    async *open() {
      for (let sent = 0; sent < 50; sent += 1) yield piece;
      yield Buffer.from('end');
    },
  };
  const headers = { 'content-type': 'application/octet-stream' };
  const { bytes } = await send({ method: 'POST', url: '/old', body, headers, redirects: 1 });
  assert.deepEqual(JSON.parse(bytes.toString()), [
    String(body.bytes),
    headers['content-type'],
    body.bytes,
    'xend',
  ]);
});

test('a streamed body that cannot be opened fails only its own request', async (t) => {
  const { port } = await httpServer(t, async (message, response) => void response.end(await text(message)));
  const send = clientOf(t, port);
  const body = { bytes: 5, open: () => createReadStream('/nonexistent/image') };
  await assert.rejects(send({ method: 'POST', body }), /ENOENT: no such file/);
  assert.equal((await send({ method: 'POST', body: '5' })).bytes.toString(), '5');
});
