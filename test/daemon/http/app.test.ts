import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type InProcessDaemon, startInProcess } from '../../fakes/daemon/in-process-daemon.ts';
import { waitingNode } from '../../ramdisk-callback/waiting-node.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

test('every answer carries the version range, and a request id of its own in both request-id headers', async (t) => {
  const daemon = await startInProcess(t);
  const node = await daemon.createNode({ name: 'one' });
  const kinds: readonly (readonly [string, string, number, object?])[] = [
    ['GET', '/', 200],
    ['GET', '/v1', 200],
    ['HEAD', '/v1', 200],
    ['GET', '/v1/nodes', 200],
    ['PUT', `/v1/nodes/${node.uuid}/maintenance`, 202],
    ['DELETE', `/v1/nodes/${node.uuid}`, 204],
    ['OPTIONS', '/v1/nodes', 200],
    ['GET', `/v1/nodes/${UNKNOWN}`, 404],
    ['GET', '/v1/nothing', 404],
    ['PUT', '/v1/nodes', 405],
    ['GET', '/v1/nodes?foo=1', 400],
    ['GET', '/v1/nodes', 406, { headers: { accept: 'text/html' } }],
    ['GET', '/v1/nodes', 406, { version: 116 }],
    ['POST', '/v1/nodes', 413, { headers: { 'content-length': '9999999' }, body: {} }],
  ];
  const ids = new Set<string>();
  for (const [method, path, status, options] of kinds) {
    const answer = await daemon.request(method, path, options ?? {});
    const which = `${method} ${path}`;
    assert.equal(answer.status, status, `${which} ${answer.text}`);
    assert.equal(answer.headers.get('x-openstack-ironic-api-minimum-version'), '1.1', which);
    assert.equal(answer.headers.get('x-openstack-ironic-api-maximum-version'), '1.115', which);
    const id = answer.headers.get('x-openstack-request-id') ?? '';
    assert.match(id, /^req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, which);
    assert.equal(answer.headers.get('openstack-request-id'), id, which);
    ids.add(id);
  }
  assert.equal(ids.size, kinds.length);
});

test('the request id of the client is not echoed', async (t) => {
  const daemon = await startInProcess(t);
  const mine = `req-${UNKNOWN}`;
  const answer = await daemon.request('GET', '/', { headers: { 'x-openstack-request-id': mine } });
  assert.notEqual(answer.headers.get('x-openstack-request-id'), mine);
});

const LEGACY = 'x-openstack-ironic-api-version';
const STANDARD = 'openstack-api-version';

test('either header sets the API version, the standard header overrides the legacy one, and the default is 1.1', async (t) => {
  const daemon = await startInProcess(t);
  const cases: readonly (readonly [Record<string, string>, string])[] = [
    [{}, '1.1'],
    [{ [LEGACY]: '1.50' }, '1.50'],
    [{ [LEGACY]: 'latest' }, '1.115'],
    [{ [STANDARD]: 'baremetal 1.90' }, '1.90'],
    [{ [STANDARD]: 'Baremetal LATEST' }, '1.115'],
    [{ [STANDARD]: 'baremetal 1.90', [LEGACY]: '1.50' }, '1.90'],
    [{ [STANDARD]: 'compute 2.1, baremetal 1.80, baremetal 1.81' }, '1.81'],
    [{ [STANDARD]: 'compute 2.1', [LEGACY]: '1.50' }, '1.50'],
    [{ [STANDARD]: 'compute 2.1' }, '1.1'],
  ];
  for (const [headers, used] of cases) {
    const answer = await daemon.request('GET', '/v1/nodes', { version: null, headers });
    assert.equal(answer.status, 200, JSON.stringify(headers));
    assert.equal(answer.headers.get(LEGACY), used, JSON.stringify(headers));
  }
});

test('an unsupported or malformed version returns 406 without the header of the version in use', async (t) => {
  const daemon = await startInProcess(t);
  for (const version of ['1.0', '1.116', '2.1', '0.1', 'foo', '1', '1.2.3', '1.-1', '1.99999999999']) {
    const answer = await daemon.request('GET', '/v1/nodes', {
      version: null,
      headers: { [LEGACY]: version },
    });
    assert.equal(answer.status, 406, version);
    assert.equal(answer.headers.get(LEGACY), null, version);
    assert.match(answer.fault, /1\.N|1\.1 to 1\.115/, version);
  }
});

test('error_message holds a JSON text with faultcode, faultstring and debuginfo', async (t) => {
  const daemon = await startInProcess(t);
  const answer = await daemon.request('GET', `/v1/nodes/${UNKNOWN}`);
  assert.deepEqual(Object.keys(answer.body), ['error_message']);
  assert.deepEqual(JSON.parse(answer.body.error_message), {
    faultcode: 'Client',
    faultstring: `Node ${UNKNOWN} could not be found.`,
    debuginfo: null,
  });
  assert.equal(answer.headers.get('content-type'), 'application/json');
});

test('an unexpected error is a 500 without internals; the log has the cause', async (t) => {
  const daemon = await startInProcess(t);
  await daemon.stop();
  const answer = await daemon.request('GET', '/v1/nodes');
  assert.equal(answer.status, 500);
  assert.match(answer.body.error_message, /"faultcode":"Server"/);
  assert.doesNotMatch(answer.text, /database|connection|at /);
  assert.match(daemon.log(), /database connection is not open/);
});

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

test('a body that is too large or too deep is refused without error_message', async (t) => {
  const daemon = await startInProcess(t);
  const deep = await daemon.request('POST', '/v1/nodes', { body: nested(100) });
  assert.equal(deep.status, 400);
  assert.deepEqual(Object.keys(deep.body), ['faultcode', 'faultstring']);
  assert.match(deep.fault, /deeper than 25/);
  const atTheLimit = await daemon.request('POST', '/v1/nodes', { body: nested(25) });
  assert.match(atTheLimit.fault, /not of type object/);
  const large = await daemon.request('POST', '/v1/nodes', { body: new Uint8Array(1024 * 1024 + 1) });
  assert.equal(large.status, 413);
  assert.deepEqual(Object.keys(large.body), ['faultcode', 'faultstring']);
});

test('an endless request body is refused soon after the size limit', async (t) => {
  const { daemon } = await waitingNode(t);
  const limits = { nodes: 1, 'nodes/x/states/provision': 64, continue_inspection: 16 };
  for (const [path, mebibytes] of Object.entries(limits)) {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        controller.enqueue(new Uint8Array(1024 * 1024));
      },
    });
    const method = path.includes('provision') ? 'PUT' : 'POST';
    const answer = await daemon.request(method, `/v1/${path}`, { body });
    assert.equal(answer.status, 413, path);
    assert.ok(sent <= mebibytes + 4, `${path}: ${sent} MiB were taken`);
  }
});

test('a body whose content-length exceeds the limit is not read', async (t) => {
  const daemon = await startInProcess(t);
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(1024));
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { 'content-length': String(50 * 1024 * 1024) };
  const answer = await daemon.request('POST', '/v1/nodes', { body, headers });
  assert.equal(answer.status, 413);
  assert.equal(pulled, 0);
});

test('paths may have extra slashes, omit v1 and be percent-encoded', async (t) => {
  const daemon = await startInProcess(t);
  const node = await daemon.createNode({ name: 'n~1' });
  const same = [
    `/v1/nodes/${node.uuid}`,
    `/v1/nodes/${node.uuid}/`,
    `//v1//nodes///${node.uuid}//`,
    `/nodes/${node.uuid}`,
    `/nodes/${node.uuid.toUpperCase()}`,
    `/v1/nodes/n~1`,
    `/v1/nodes/n%7e1`,
    `/v1/%6eodes/%6E~1`,
  ];
  for (const path of same) {
    const answer = await daemon.request('GET', path);
    assert.equal(answer.status, 200, `${path} ${answer.text}`);
    assert.equal(answer.body.uuid, node.uuid, path);
  }
  const list = await daemon.request('GET', '/nodes/?limit=1');
  assert.equal(list.status, 200);
  assert.match(list.body.next, /^http:\/\/ironic\.test\/v1\/nodes\?/);
});

test('an unknown path or one in the wrong letter case returns 404, and a malformed or unusual node name 400 or 404', async (t) => {
  const daemon = await startInProcess(t);
  for (const path of ['/V1/nodes', '/v1/Nodes', '/v2/nodes', '/v1/v1/nodes', '/v1nodes', '/healthcheckx']) {
    assert.equal((await daemon.request('GET', path)).status, 404, path);
  }
  for (const path of [
    '%',
    '%zz',
    '%e0%a4%a',
    '%00',
    'a%2Fb',
    'a%20b',
    '%F0%9F%92%A9',
    '..%2f',
    '%25',
    '%252e',
  ]) {
    const answer = await daemon.request('GET', `/v1/nodes/${path}`);
    assert.ok([400, 404].includes(answer.status), `${path} ${answer.status} ${answer.text}`);
  }
});

test('a wrong method returns 405 with the allowed methods', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const cases: readonly (readonly [string, string, string])[] = [
    ['PUT', '/v1/nodes', 'GET, POST, DELETE'],
    ['HEAD', '/v1/nodes', 'GET, POST, DELETE'],
    ['PUT', `/v1/nodes/${uuid}`, 'GET, PATCH, DELETE'],
    ['POST', `/v1/nodes/${uuid}/states/provision`, 'PUT'],
    ['GET', `/v1/nodes/${uuid}/states/power`, 'PUT'],
    ['GET', `/v1/nodes/${uuid}/maintenance`, 'PUT, DELETE'],
    ['POST', '/v1', 'GET'],
    ['DELETE', '/v1/drivers', 'GET'],
    ['GET', '/v1/continue_inspection', 'POST'],
  ];
  for (const [method, path, allowed] of cases) {
    const answer = await daemon.request(method, path);
    assert.equal(answer.status, 405, `${method} ${path}`);
    assert.equal(answer.headers.get('allow'), allowed, `${method} ${path}`);
  }
});

test('a wrong method on a path newer than the version returns 404', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const cases: readonly (readonly [string, string, number, number])[] = [
    ['PUT', `/v1/nodes/${uuid}/vmedia`, 79, 404],
    ['PUT', `/v1/nodes/${uuid}/vmedia`, 89, 405],
    ['POST', `/v1/nodes/${uuid}/inventory`, 80, 404],
    ['POST', `/v1/nodes/${uuid}/inventory`, 81, 405],
    ['PUT', '/v1/allocations', 51, 405],
    ['PUT', '/v1/nodes', 1, 405],
  ];
  for (const [method, path, version, status] of cases)
    assert.equal((await daemon.request(method, path, { version })).status, status, `${method} 1.${version}`);
});

test('OPTIONS of any path returns 200 without a body', async (t) => {
  const daemon = await startInProcess(t);
  for (const path of ['/', '/v1/nodes', '/v1/nothing']) {
    const answer = await daemon.request('OPTIONS', path, { version: null, headers: { accept: 'text/html' } });
    assert.equal(answer.status, 200, path);
    assert.equal(answer.text, '', path);
  }
});

test('Accept must include JSON, in a list or by wildcard', async (t) => {
  const daemon = await startInProcess(t);
  const status = async (accept: string) =>
    (await daemon.request('GET', '/v1/nodes', { headers: { accept } })).status;
  for (const accept of ['*/*', 'application/json', 'text/html, application/json;q=0.5', 'application/*']) {
    assert.equal(await status(accept), 200, accept);
  }
  for (const accept of ['text/html', 'application/jsonx', 'application/xml, text/plain']) {
    assert.equal(await status(accept), 406, accept);
  }
});

test('answers with a body are application/json; others have no content type', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const list = await daemon.request('GET', '/v1/nodes');
  assert.equal(list.headers.get('content-type'), 'application/json');
  const accepted = await daemon.request('PUT', `/v1/nodes/${uuid}/maintenance`, { body: { reason: null } });
  assert.equal(accepted.status, 202);
  assert.equal(accepted.headers.get('content-type'), null);
  assert.equal(accepted.headers.get('content-length'), '0');
  assert.equal(accepted.headers.get('location'), null);
  const deleted = await daemon.request('DELETE', `/v1/nodes/${uuid}`);
  assert.equal(deleted.headers.get('content-type'), null);
  assert.equal(deleted.text, '');
});

test('the content type of a request that creates a node is ignored', async (t) => {
  const daemon = await startInProcess(t);
  for (const type of ['text/plain', 'application/json-patch+json', 'application/octet-stream', 'nonsense']) {
    const body = JSON.stringify({ driver: 'fake-hardware' });
    const answer = await daemon.request('POST', '/v1/nodes', { body, headers: { 'content-type': type } });
    assert.equal(answer.status, 201, type);
  }
});

test('links begin with the host of the request, or with public_endpoint', async (t) => {
  const plain = await startInProcess(t);
  assert.equal(await nodesLink(plain), 'http://ironic.test/v1/nodes/');
  const configured = await startInProcess(t, { ini: '[api]\npublic_endpoint = https://bm.example:8443/\n' });
  assert.equal(await nodesLink(configured), 'https://bm.example:8443/v1/nodes/');
});

test('the host that a trusted proxy forwards overrides public_endpoint in links', async (t) => {
  const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'outer.example, inner' };
  const plain = await startInProcess(t);
  assert.equal(await nodesLink(plain, forwarded), 'http://ironic.test/v1/nodes/');
  const ini = '[api]\npublic_endpoint = http://x\n[oslo_middleware]\nenable_proxy_headers_parsing = true\n';
  const trusting = await startInProcess(t, { ini });
  assert.equal(await nodesLink(trusting, forwarded), 'https://outer.example/v1/nodes/');
});

async function nodesLink(daemon: InProcessDaemon, headers: Record<string, string> = {}): Promise<string> {
  return (await daemon.request('GET', '/v1', { headers })).body.nodes[0]?.href ?? '';
}
