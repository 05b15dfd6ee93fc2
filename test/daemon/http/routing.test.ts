import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startInProcess } from '../../fakes/daemon/in-process-daemon.ts';

test('a .json suffix of a path is ignored before 1.91', async (t) => {
  const daemon = await startInProcess(t);
  const node = await daemon.createNode({ name: 'n' });
  const paths = ['nodes', 'nodes/detail', `nodes/${node.uuid}`, 'nodes/n', 'nodes/n/states', 'drivers'];
  for (const path of paths) {
    const plain = await daemon.request('GET', `/v1/${path}`, { version: 90 });
    const suffixed = await daemon.request('GET', `/v1/${path}.json`, { version: 90 });
    assert.equal(suffixed.status, 200, path);
    assert.equal(suffixed.text, plain.text, path);
    for (const version of [91, 115]) {
      const later = await daemon.request('GET', `/v1/${path}.json`, { version });
      assert.ok([400, 404].includes(later.status), `${path} ${later.text}`);
    }
  }
  const listed = await daemon.request('GET', '/v1/nodes.json?limit=1', { version: 90 });
  assert.match(listed.body.next, /\/v1\/nodes\?/);
});

test('either version header decides whether a .json suffix is ignored; without a version header, it is', async (t) => {
  const daemon = await startInProcess(t);
  const status = async (headers: Readonly<Record<string, string>>) =>
    (await daemon.request('GET', '/v1/nodes.json', { version: null, headers })).status;
  assert.equal(await status({}), 200);
  assert.equal(await status({ 'openstack-api-version': 'baremetal 1.90' }), 200);
  assert.equal(await status({ 'openstack-api-version': 'baremetal 1.91' }), 404);
  assert.equal(await status({ 'x-openstack-ironic-api-version': 'latest' }), 404);
  assert.equal(await status({ 'x-openstack-ironic-api-version': 'odd' }), 406);
});

test('a name that ends in .json is found; before 1.91, an existing name without .json takes precedence', async (t) => {
  const daemon = await startInProcess(t);
  const step = { interface: 'bios', step: 'x', args: {}, priority: 1 };
  const long = await daemon.createNode({ name: 'x.json' });
  const created: readonly (readonly [path: string, body: object])[] = [
    ['portgroups', { name: 'x.json', node_uuid: long.uuid }],
    ['allocations', { name: 'x.json', resource_class: 'c' }],
    ['deploy_templates', { name: 'CUSTOM_X', steps: [step] }],
  ];
  for (const [path, body] of created)
    assert.equal((await daemon.request('POST', `/v1/${path}`, { body })).status, 201, path);
  const found = async (path: string, version: number) =>
    (await daemon.request('GET', `/v1/${path}`, { version })).body['name'];
  for (const path of ['nodes', 'portgroups', 'allocations']) {
    for (const version of [90, 115]) assert.equal(await found(`${path}/x.json`, version), 'x.json', path);
    assert.equal(await found(`${path}/x.json.json`, 90), 'x.json', path);
  }
  assert.equal(await found('deploy_templates/CUSTOM_X.json', 90), 'CUSTOM_X');
  await daemon.createNode({ name: 'x' });
  assert.equal(await found('nodes/x.json', 90), 'x');
  assert.equal(await found('nodes/x.json', 91), 'x.json');
  const removed = await daemon.request('DELETE', '/v1/nodes/x.json', { version: 90 });
  assert.equal(removed.status, 204);
  assert.equal(daemon.node(long.uuid).name, 'x.json');
});

test('/openapi.json is found at every version', async (t) => {
  const daemon = await startInProcess(t);
  for (const version of [null, 1, 90, 91, 115])
    assert.equal((await daemon.request('GET', '/openapi.json', { version })).status, 200, `${version}`);
});
