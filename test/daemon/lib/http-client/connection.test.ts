// How the HTTP client reaches its server: TLS and its settings, allowed addresses, Unix sockets and proxies.
import assert from 'node:assert/strict';
import dns from 'node:dns';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { type AddressInfo, connect, createServer as createPlainServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { addressRule, guardedRoute } from '../../../../daemon/lib/network/address-rule.ts';
import {
  type ServerRoute,
  tlsOptions,
  type TlsSettings,
} from '../../../../daemon/lib/http-client/connection.ts';
import { HttpClient } from '../../../../daemon/lib/http-client/http-client.ts';
import { authority, certificateFiles } from '../../../fakes/services/certificates.ts';
import { fakeClock, settled } from '../../../fakes/clock.ts';
import { ended, httpServer, httpsServer } from '../../../fakes/services/http-server.ts';

const ca = authority();
const answer: RequestListener = ({ url, headers }, response) => {
  response.end(`${url} of ${headers.host}`);
};

interface Settings {
  readonly tls?: TlsSettings;
  readonly route?: ServerRoute;
  readonly idleSeconds?: number;
}

const send = (url: string, settings: Settings = {}) =>
  new HttpClient({ url, clock: fakeClock(), ...settings }).send({ url, timeoutSeconds: 5 });

const statusOf = async (url: string, tls: TlsSettings) => (await send(url, { tls })).status;

test('a certificate is accepted when a trusted authority signed it, or when verification is off', async (t) => {
  const { port } = await httpsServer(t, answer);
  const url = `https://localhost:${port}/`;
  assert.equal(await statusOf(url, { ca }), 200);
  assert.equal(await statusOf(url, { rejectUnauthorized: false }), 200);
  await assert.rejects(send(url), /: unable to verify the first certificate/);
});

test('with an empty ca, no certificate is trusted, not even one that the system trusts', () => {
  // Node.js itself takes an empty text as "not set"
  assert.deepEqual(tlsOptions({ ca: '' }), { ca: '\n' });
  assert.deepEqual(tlsOptions({ ca }), { ca });
  assert.deepEqual(tlsOptions({}), {});
});

test('a certificate for another host is refused, unless the settings name its host', async (t) => {
  const { port } = await httpsServer(t, answer);
  const url = `https://127.0.0.2:${port}/`;
  await assert.rejects(send(url, { tls: { ca } }), /127\.0\.0\.2 is not in the cert's list/);
  assert.equal(await statusOf(url, { ca, servername: 'localhost' }), 200);
  const other = { ca, servername: 'bmc.example' };
  await assert.rejects(statusOf(`https://127.0.0.1:${port}/`, other), /Host: bmc\.example\. is not in/);
});

test('TLS 1.1 is spoken only when asked for', async (t) => {
  const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  const { port } = await httpsServer(t, answer, old);
  const url = `https://127.0.0.1:${port}/`;
  await assert.rejects(statusOf(url, { ca }), /: TLS failed: .*(?:protocol version|unsupported protocol)/);
  assert.equal(await statusOf(url, { ca, minVersion: 'TLSv1.1' }), 200);
});

test('a server that offers only a TLS version below minVersion, or no common cipher, is refused', async (t) => {
  const { port } = await httpsServer(t, answer, {
    maxVersion: 'TLSv1.2',
    ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  });
  const url = `https://127.0.0.1:${port}/`;
  await assert.rejects(statusOf(url, { ca, minVersion: 'TLSv1.3' }), /TLS failed: .*protocol version/);
  await assert.rejects(
    statusOf(url, { ca, ciphers: 'ECDHE-ECDSA-AES128-SHA' }),
    /TLS failed: .*handshake failure/,
  );
  assert.equal(await statusOf(url, { ca, ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' }), 200);
});

test('a server that asks for a certificate gets that of the client', async (t) => {
  const { port } = await httpsServer(t, answer, { requestCert: true, rejectUnauthorized: true, ca });
  const url = `https://127.0.0.1:${port}/`;
  const files = certificateFiles(t);
  const own = { cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') };
  assert.equal(await statusOf(url, { ca, ...own }), 200);
  await assert.rejects(statusOf(url, { ca }), /TLS failed|closed the connection|ECONNRESET/);
});

test('a kept TLS connection is used again, and the error for a server without TLS says that TLS failed', async (t) => {
  const secure = await httpsServer(t, answer);
  const url = `https://127.0.0.1:${secure.port}/`;
  const client = new HttpClient({ url, clock: fakeClock(), tls: { ca }, idleSeconds: 60 });
  for (const each of ['/1', '/2']) await client.send({ url: each, timeoutSeconds: 5 });
  client.close();
  assert.equal(secure.sockets.length, 1);
  const plain = await httpServer(t, answer);
  await assert.rejects(send(`https://127.0.0.1:${plain.port}/`), /TLS failed: .*wrong version number/);
});

test('a connection that is being set up is closed when its request times out', async (t) => {
  // accepts and never answers the TLS handshake
  const silent = createPlainServer().listen(0, '127.0.0.1');
  t.after(() => silent.close());
  await once(silent, 'listening');
  const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  const clock = fakeClock();
  const accepted = once(silent, 'connection');
  const failed = assert.rejects(
    new HttpClient({ url, clock, idleSeconds: 60 }).send({ url, timeoutSeconds: 5 }),
    /no complete reply within 5 s$/,
  );
  const [socket] = (await accepted) as [ReturnType<typeof connect>];
  const end = ended(socket.on('error', () => {}).resume());
  await clock.advance(5000);
  await Promise.all([failed, end]);
});

const guarded = (networks: readonly string[]): Settings => ({
  route: guardedRoute(addressRule(networks), '[agent] callback_networks'),
});

test('an address that the rule refuses is not contacted, in any spelling or by name', async (t) => {
  const { port, sockets } = await httpServer(t, answer);
  for (const host of ['127.0.0.1', '0x7f000001', '[::ffff:127.0.0.1]', 'localhost'])
    await assert.rejects(send(`http://${host}:${port}/`, guarded([])), /loopback address/, host);
  assert.deepEqual(sockets, []);
  for (const host of ['127.0.0.1', 'localhost'])
    assert.equal((await send(`http://${host}:${port}/`, guarded(['127.0.0.0/8']))).status, 200);
});

/** Makes each lookup of a name return the next list of `answers`. */
function resolving(t: TestContext, answers: (readonly string[])[]): void {
  type Callback = (error: null, addresses: readonly dns.LookupAddress[]) => void;
  const lookup = (_name: string, _options: object, callback: Callback) =>
    callback(
      null,
      (answers.shift() ?? []).map((address) => ({ address, family: 4 })),
    );
  t.mock.method(dns, 'lookup', lookup);
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
}

test('a name that changes its address after it was allowed is refused when it is looked up again', async (t) => {
  const allowed = await httpServer(t, answer, '127.0.0.2');
  resolving(t, [['127.0.0.1', '127.0.0.2'], ['127.0.0.1']]);
  const url = `http://rebinding.example:${allowed.port}/`;
  const client = new HttpClient({ url, clock: fakeClock(), idleSeconds: 60, ...guarded(['127.0.0.2/32']) });
  t.after(() => client.close());
  for (const each of ['/1', '/2'])
    assert.equal((await client.send({ url: each, timeoutSeconds: 5 })).status, 200);
  allowed.sockets[0]!.destroy();
  await ended(allowed.sockets[0]!);
  await settled();
  await assert.rejects(
    client.send({ url: '/3', timeoutSeconds: 5 }),
    /rebinding\.example is refused \(\[agent\] callback_networks\): 127\.0\.0\.1 is not in 127\.0\.0\.2\/32$/,
  );
});

test('a Unix socket is used instead of the host', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'http-client-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const socket = path.join(folder, 'api.sock');
  await httpServer(t, answer, socket);
  const route = { kind: 'socket', path: socket } as const;
  assert.equal((await send('http://localhost/v1', { route })).bytes.toString(), '/v1 of localhost');
  const absent = { kind: 'socket', path: `${socket}.absent` } as const;
  await assert.rejects(send('http://localhost/v1', { route: absent }), /v1: connect ENOENT .*absent$/);
});

test('a proxy gets plain requests, and tunnels TLS; a proxy that the environment names is not used', async (t) => {
  const seen: unknown[] = [];
  const proxy = createServer(({ url }, response) => {
    seen.push(url);
    response.end();
  });
  proxy.on('connect', ({ url }, socket) => {
    seen.push(url);
    const target = connect(Number(url!.split(':')[1]), '127.0.0.1');
    socket.write('HTTP/1.1 200 Connected\r\n\r\n');
    socket.pipe(target).pipe(socket);
    socket.on('error', () => target.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.after(() => proxy.close());
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const route = { kind: 'proxy', url } as const;
  const { port } = await httpsServer(t, answer);
  const secure = `https://localhost:${port}/`;

  assert.equal((await send('http://inventory.example/new', { route })).status, 200);
  assert.equal((await send(secure, { route, tls: { ca } })).bytes.toString(), `/ of localhost:${port}`);
  assert.deepEqual(seen, ['http://inventory.example/new', `localhost:${port}`]);
  await assert.rejects(send(secure, { route }), /unable to verify the first certificate/);

  process.env['HTTPS_PROXY'] = url;
  t.after(() => delete process.env['HTTPS_PROXY']);
  seen.length = 0;
  assert.equal((await send(secure, { tls: { ca } })).status, 200);
  assert.deepEqual(seen, []);
});
