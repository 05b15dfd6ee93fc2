import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeTcpPort } from '../../daemon/simulator/free-port.ts';
import { startListening } from '../fakes/daemon/listening-daemon.ts';

const environment = {
  IRONIC_RAMDISK__PORT: '0',
  IRONIC_RAMDISK__HOST_IP: '127.0.0.1',
  IRONIC_API__ENABLE_RAMDISK_ENDPOINTS: 'false',
  IRONIC_API__PUBLIC_ENDPOINT: 'https://operators.test',
};
const headers = { 'openstack-api-version': 'baremetal 1.90', 'content-type': 'application/json' };
const BODY = JSON.stringify({ callback_url: 'https://192.0.2.5:9999', agent_token: 'x', agent_version: '1' });
const ramdiskRequests = [
  ['GET', '/v1/lookup?addresses=52:54:00:00:00:01', 404],
  ['POST', '/v1/heartbeat/00000000-0000-0000-0000-000000000001', 400],
  ['POST', '/v1/continue_inspection?node_uuid=00000000-0000-0000-0000-000000000001', 404],
] as const;

test('the listener for ramdisks serves lookup, heartbeat and continue_inspection when the API refuses them', async (t) => {
  const { url, ramdiskUrl = '' } = await startListening(t, { environment });
  for (const [method, path, expected] of ramdiskRequests) {
    const options = { method, headers, ...(method === 'POST' && { body: BODY }) };
    const status = async (base: string) => (await fetch(base + path, options)).status;
    assert.deepEqual([path, await status(url), await status(ramdiskUrl)], [path, 403, expected]);
  }
});

test('the listener for ramdisks serves version documents with its own links, but no other resources of the API', async (t) => {
  const { ramdiskUrl = '' } = await startListening(t, { environment });
  const root = await fetch(`${ramdiskUrl}/`);
  assert.equal(root.headers.get('x-openstack-ironic-api-maximum-version'), '1.115');
  assert.ok((await root.text()).includes(`"${ramdiskUrl}/v1/"`));
  assert.equal((await fetch(`${ramdiskUrl}/v1`)).status, 200);
  for (const path of [
    '/v1/nodes',
    '/v1/ports',
    '/v1/drivers',
    '/openapi.json',
    '/healthcheck',
    '/v1/nodes/x/states',
  ])
    assert.equal((await fetch(ramdiskUrl + path, { headers })).status, 404, path);
});

test('a listener for ramdisks that cannot be opened stops the start, and the others are closed', async (t) => {
  const port = await freeTcpPort();
  const tls = { ...environment, IRONIC_RAMDISK__ENABLE_SSL_API: 'true', IRONIC_BOOT_HTTP__PORT: `${port}` };
  await assert.rejects(
    startListening(t, { environment: { ...tls, IRONIC_BOOT_HTTP__HOST_IP: '127.0.0.1' } }),
    /TLS is on \(\[ramdisk\] enable_ssl_api\), but \[ramdisk\] cert_file is not set/,
  );
  await assert.rejects(fetch(`http://127.0.0.1:${port}/`), /fetch failed/);
});

test('without a listener of their own, ramdisks use that of the API', async (t) => {
  const { url, ramdiskUrl } = await startListening(t, {});
  assert.equal(ramdiskUrl, undefined);
  assert.equal((await fetch(`${url}/v1/lookup?addresses=52:54:00:00:00:01`, { headers })).status, 404);
});

const look = (base: string) =>
  fetch(`${base}/v1/lookup?addresses=52:54:00:00:00:01`, {
    headers: { ...headers, 'x-forwarded-for': '198.51.100.7' },
  });

test('the listener for ramdisks believes no proxy headers, so that a stranger has one address for the limits and the log', async (t) => {
  const parsing = { IRONIC_OSLO_MIDDLEWARE__ENABLE_PROXY_HEADERS_PARSING: 'true' };
  const daemon = await startListening(t, {
    environment: {
      ...environment,
      ...parsing,
      IRONIC_API__ENABLE_RAMDISK_ENDPOINTS: 'true',
      IRONIC_DEFAULT__DEBUG: 'true',
    },
  });
  await look(daemon.ramdiskUrl ?? '');
  assert.doesNotMatch(daemon.log(), /198\.51\.100/);
  assert.match(daemon.log(), /"client":"127\.0\.0\.1","method":"GET","path":"\/v1\/lookup"/);
  await look(daemon.url);
  assert.match(daemon.log(), /"client":"198\.51\.100\.7","method":"GET","path":"\/v1\/lookup"/);
});
