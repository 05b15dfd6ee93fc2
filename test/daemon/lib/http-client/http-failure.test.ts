// The kinds of HTTP failures, by which callers decide, for example, whether to repeat a request.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import test, { type TestContext } from 'node:test';
import { systemClock } from '../../../../daemon/lib/clock.ts';
import { HttpClient } from '../../../../daemon/lib/http-client/http-client.ts';
import { HttpFailure } from '../../../../daemon/lib/http-client/http-failure.ts';

async function kindOfFailure(url: string, timeoutSeconds = 20): Promise<string> {
  try {
    await new HttpClient({ url, clock: systemClock }).send({ url, timeoutSeconds });
  } catch (error) {
    assert.ok(error instanceof HttpFailure, String(error));
    return error.kind;
  }
  throw new Error('expected a failure');
}

async function portOf(t: TestContext, server: Server): Promise<number> {
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

test('a port where nothing listens and a name without an address are unreachable', async (t) => {
  const server = createServer();
  const port = await portOf(t, server);
  server.close();
  assert.equal(await kindOfFailure(`http://127.0.0.1:${port}/`), 'unreachable');
  assert.equal(await kindOfFailure(`http://localhost:${port}/`), 'unreachable');
  assert.equal(await kindOfFailure('http://bmc.invalid/'), 'unreachable');
});

test('a server that resets the connection, or closes it within its reply, gives a failure of the kind `closed`', async (t) => {
  const resets = await portOf(
    t,
    createServer((socket) => socket.once('data', () => socket.resetAndDestroy())),
  );
  const ends = await portOf(
    t,
    createServer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n12')),
    ),
  );
  assert.equal(await kindOfFailure(`http://127.0.0.1:${resets}/`), 'closed');
  assert.equal(await kindOfFailure(`http://127.0.0.1:${ends}/`), 'closed');
  const cutOff = 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 9\r\n\r\nhalf';
  const cuts = await portOf(
    t,
    createServer((socket) => socket.once('data', () => socket.end(cutOff))),
  );
  assert.equal(await kindOfFailure(`http://127.0.0.1:${cuts}/`), 'closed');
});

test('a server without TLS gives a failure of the kind `tls`, not `certificate`', async (t) => {
  const port = await portOf(
    t,
    createServer((socket) => socket.end('220 mail.example ESMTP\r\n')),
  );
  assert.equal(await kindOfFailure(`https://127.0.0.1:${port}/`), 'tls');
});

test('codes of OpenSSL and Node.js about a certificate give failures of the kind `certificate`', () => {
  for (const code of [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'HOSTNAME_MISMATCH',
  ]) {
    const { kind } = new HttpFailure(
      'GET',
      new URL('https://bmc.example/'),
      Object.assign(new Error('no'), { code }),
    );
    assert.equal(kind, 'certificate', code);
  }
});

test('a reply that is not HTTP gives a failure of the kind `other`', async (t) => {
  const port = await portOf(
    t,
    createServer((socket) => socket.once('data', () => socket.end('SSH-2.0-x\r\n'))),
  );
  assert.equal(await kindOfFailure(`http://127.0.0.1:${port}/`), 'other');
});

test('a server that never answers gives a failure of the kind `overdue`', async (t) => {
  const port = await portOf(
    t,
    createServer(() => {}).on('connection', (socket) => t.after(() => socket.destroy())),
  );
  assert.equal(await kindOfFailure(`http://127.0.0.1:${port}/`, 0.01), 'overdue');
});
