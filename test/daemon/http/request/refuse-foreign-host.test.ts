import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { hostname as machineName } from 'node:os';
import { test } from 'node:test';
import type { Config } from '../../../../daemon/config/sections/core-sections.ts';
import { refuseForeignHost } from '../../../../daemon/http/request/arriving.ts';
import { startListening } from '../../../fakes/daemon/listening-daemon.ts';

interface Settings {
  readonly auth?: 'noauth' | 'http_basic';
  readonly api?: Partial<Config['api']>;
}

const check = (host: string, { auth = 'noauth', api = {} }: Settings = {}) =>
  refuseForeignHost(
    {
      DEFAULT: { auth_strategy: auth, host: 'Prov.lab.example' },
      api: {
        allowed_hosts: ['Api.site.example'],
        enable_ssl_api: false,
        unix_socket: null,
        public_endpoint: 'https://public.site.example:443/baremetal',
        ...api,
      },
      service_catalog: { endpoint_override: 'http://ramdisks.site.example:6385' },
    } as unknown as Config,
    new URL(`http://${host}/v1/nodes`),
    undefined,
  );

for (const host of [
  '127.0.0.1:6385',
  '192.0.2.7',
  '[2001:db8::7]:6385',
  'localhost',
  'LOCALHOST:6385',
  'api.localhost',
  'localhost.:6385',
  'prov',
  'prov.lab.example:6385',
  'prov.lab.example.',
  machineName(),
  'api.site.example',
  'public.site.example',
  'ramdisks.site.example',
]) {
  test(`with neither authentication nor TLS, the API accepts the host ${host}`, () => check(host));
}

for (const host of [
  'evil.example',
  'evil',
  'localhost.evil.example',
  'api.site.example.evil.example',
  '127.0.0.1.nip.io',
])
  test(`with neither authentication nor TLS, the API refuses the host ${host}`, () =>
    assert.throws(() => check(host), {
      code: 'ForeignHost',
      message: /does not accept the host name .*allowed_hosts/,
    }));

test('every host name is accepted with authentication, with TLS, over a Unix socket, and with allowed_hosts = *', () => {
  check('evil.example', { auth: 'http_basic' });
  check('evil.example', { api: { enable_ssl_api: true } });
  check('evil.example', { api: { unix_socket: '/run/api.sock' } });
  check('evil.example', { api: { allowed_hosts: ['*'] } });
});

/** Sends a request to create a node. It begins with the lines `start` and `headers`. Resolves to the status line of the answer. */
async function answerTo(url: string, start: string, ...headers: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const body = '{"driver":"fake-hardware"}';
  const lines = [
    start,
    ...headers,
    'content-type: application/json',
    `content-length: ${body.length}`,
    '',
    body,
  ];
  socket.write(lines.join('\r\n'));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return answer.toString().split('\r\n', 1)[0] ?? '';
}

test('a request with a foreign host name, or with two Host headers, is refused and creates nothing', async (context) => {
  const { url, services } = await startListening(context, {});
  const post = 'POST /v1/nodes HTTP/1.1';
  const own = new URL(url).host;
  for (const [start, ...headers] of [
    [post, 'Host: evil.example', 'Origin: http://evil.example'],
    [post, 'Host: evil.example'],
    [post, 'Host: evil.example', `X-Forwarded-Host: ${own}`],
    ['POST http://evil.example/v1/nodes HTTP/1.1', `Host: ${own}`],
  ] as const)
    assert.match(await answerTo(url, start, ...headers), / 421 /, headers.join());
  assert.match(await answerTo(url, post, `Host: ${own}`, `Host: ${own}`), / 400 /);
  assert.match(await answerTo(url, post, `Host: ${own}`, 'host: evil.example'), / 400 /);
  assert.deepEqual([...services.db.nodes.inStates(['enroll'])], []);
  assert.match(await answerTo(url, post, `Host: ${own}`), / 201 /);
});
