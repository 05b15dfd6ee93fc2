import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { crossOriginHeaders, refuseForeignPage } from '../../../../daemon/http/request/arriving.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const CONSOLE = 'https://console.example.com';
const cors = (origins: readonly string[], credentials = true) => ({
  allowed_origin: origins,
  allow_credentials: credentials,
  max_age: 600,
});
const simple = (origin: string | undefined) => ({ origin, preflight: false });

test('without allowed origins no CORS headers are sent', () => {
  assert.deepEqual(crossOriginHeaders(cors([]), simple(CONSOLE)), {});
  assert.deepEqual(crossOriginHeaders(cors([]), { origin: CONSOLE, preflight: true }), {});
});

test('an allowed origin may send credentials and read the version headers', () => {
  assert.deepEqual(crossOriginHeaders(cors(['https://a.example', CONSOLE]), simple(CONSOLE)), {
    vary: 'Origin',
    'access-control-allow-origin': CONSOLE,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers':
      'X-OpenStack-Ironic-API-Version, X-OpenStack-Ironic-API-Minimum-Version, X-OpenStack-Ironic-API-Maximum-Version',
  });
});

test('an origin must match an allowed origin exactly', () => {
  for (const origin of [
    undefined,
    '',
    'null',
    'https://console.example.com.evil.example',
    'http://console.example.com',
    'https://console.example.com:8443',
    'https://CONSOLE.example.com',
    'https://evil.example',
  ])
    assert.deepEqual(crossOriginHeaders(cors([CONSOLE]), simple(origin)), { vary: 'Origin' }, origin);
});

test('the origin * allows every origin, without credentials', () => {
  const headers = crossOriginHeaders(cors(['*']), simple('https://any.example'));
  assert.equal(headers['access-control-allow-origin'], '*');
  assert.ok(!('access-control-allow-credentials' in headers) && !('vary' in headers));
});

test('allow_credentials = false omits the credentials header', () => {
  const headers = crossOriginHeaders(cors([CONSOLE], false), simple(CONSOLE));
  assert.ok(!('access-control-allow-credentials' in headers));
});

const session = await startInProcess(
  { after },
  { ini: `[cors]\nallowed_origin = ${CONSOLE}, https://b.example\n` },
);

test('a preflight request returns the allowed methods and headers and max-age', async () => {
  const { status, headers, json } = await session.request('OPTIONS', '/v1/nodes', {
    headers: { origin: CONSOLE, 'access-control-request-method': 'PATCH' },
  });
  assert.deepEqual([status, json], [200, undefined]);
  assert.equal(headers.get('access-control-allow-origin'), CONSOLE);
  assert.equal(headers.get('access-control-allow-methods'), 'GET, PUT, POST, DELETE, PATCH');
  assert.equal(headers.get('access-control-max-age'), '3600');
  const allowed = headers.get('access-control-allow-headers')?.toLowerCase().split(', ') ?? [];
  for (const name of ['x-auth-token', 'authorization', 'content-type', 'x-openstack-ironic-api-version'])
    assert.ok(allowed.includes(name), name);
});

test('a preflight request from an origin that is not allowed gets no CORS headers', async () => {
  const { status, headers } = await session.request('OPTIONS', '/v1/nodes', {
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'PATCH' },
  });
  assert.equal(status, 200);
  assert.deepEqual(
    [...headers.keys()].filter((name) => name.startsWith('access-control-')),
    [],
  );
});

test('successful and failed answers carry the CORS headers', async () => {
  for (const where of ['/v1/nodes', '/v1/nodes/none', '/v1/no-such-thing']) {
    const { headers } = await session.request('GET', where, { headers: { origin: 'https://b.example' } });
    assert.equal(headers.get('access-control-allow-origin'), 'https://b.example', where);
    assert.equal(headers.get('vary'), 'Origin', where);
  }
});

const sent = (method: string, origin: string | undefined) => ({
  method,
  headers: new Headers(origin === undefined ? {} : { origin }),
});

test('a page of another origin may neither write nor open a WebSocket unless its origin is allowed', () => {
  const own = 'http://127.0.0.1:6385';
  const isOwn = (origin: string) => origin === own;
  const open = (origins: readonly string[], origin: string) =>
    refuseForeignPage(cors(origins), sent('GET', origin), { lasts: true, isOwn });
  assert.throws(() => open([CONSOLE], 'https://evil.example'), { code: 'ForeignOrigin', status: 403 });
  for (const origin of [own, CONSOLE]) open([CONSOLE], origin);
  const write = (origins: readonly string[], origin: string | undefined, method = 'POST') =>
    refuseForeignPage(cors(origins), sent(method, origin), { lasts: false, isOwn });
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    assert.throws(() => write([CONSOLE], 'https://evil.example', method), {
      code: 'ForeignOrigin',
      status: 403,
    });
  assert.throws(() => write([], 'null'), /\[cors\] allowed_origin/);
  write([], undefined);
  write([], own);
  write([CONSOLE], CONSOLE);
  write(['*'], 'https://evil.example');
  write([], 'https://evil.example', 'GET');
});

test('a page of another origin cannot open a stream of events, also when it asks without the permission to read', async () => {
  const stream = async (headers: Readonly<Record<string, string>>) =>
    (await session.request('GET', '/v1/events/stream?since=none', { headers })).status;
  assert.equal(await stream({ origin: 'https://evil.example' }), 403);
  for (const site of ['cross-site', 'same-site']) assert.equal(await stream({ 'sec-fetch-site': site }), 403);
  // these pass, and are refused only for their parameter
  for (const headers of [{ origin: CONSOLE }, { 'sec-fetch-site': 'same-origin' }, {}])
    assert.equal(await stream(headers as Readonly<Record<string, string>>), 400);
  assert.equal(
    (await session.request('GET', '/v1/nodes', { headers: { 'sec-fetch-site': 'cross-site' } })).status,
    200,
  );
});

test('a POST from a foreign origin returns 403 and creates nothing', async () => {
  const { status, body } = await session.request('POST', '/v1/nodes', {
    body: { driver: 'fake-hardware', name: 'forged' },
    headers: { origin: 'https://evil.example' },
  });
  assert.equal(status, 403);
  assert.match(JSON.stringify(body), /https:\/\/evil\.example/);
  assert.equal((await session.request('GET', '/v1/nodes/forged')).status, 404);
});
