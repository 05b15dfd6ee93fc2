import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const OTHER = '11111111-2222-4333-8444-555555555555';

test('a node is found by host name since 1.5, and by any logical name since 1.10', async (t) => {
  const daemon = await startInProcess(t);
  await daemon.createNode({ name: 'host.example' });
  await daemon.createNode({ name: 'Free_~name' });
  const status = async (path: string, version: number) =>
    (await daemon.request('GET', path, { version })).status;
  assert.equal(await status('/v1/nodes/host.example', 4), 404);
  assert.equal(await status('/v1/nodes/host.example', 5), 200);
  assert.equal(await status('/v1/nodes/Free_~name', 9), 400);
  assert.equal(await status('/v1/nodes/Free_~name', 10), 200);
  assert.equal(await status('/v1/nodes/a%20b', 115), 400);
  assert.equal(await status('/v1/nodes/nobody', 115), 404);
  assert.equal(await status('/v1/nodes/validate?node=host.example', 4), 406);
  assert.equal(await status('/v1/nodes/validate?node=host.example', 5), 200);
});

test('the filters of the list select the matching nodes, and several filters can be combined', async (t) => {
  const daemon = await startInProcess(t);
  const parent = await daemon.createNode({ name: 'parent', description: 'The Rack%' });
  await daemon.createNode({ name: 'child', parent_node: 'parent', owner: 'o', shard: 'Rack-A' });
  const rest = {
    owner: 'o',
    lessee: 'l',
    shard: 's1',
    resource_class: 'c',
    instance_uuid: OTHER,
    instance_name: 'i',
  };
  await daemon.createNode({ name: 'full', maintenance: true, retired: true, ...rest });
  daemon.services.db.nodes.update(parent.uuid, { fault: 'clean failure', provision_state: 'clean failed' });
  const names = async (query: string) => {
    const { status, body, text } = await daemon.request('GET', `/v1/nodes?fields=name&${query}`);
    assert.equal(status, 200, `${query} ${text}`);
    return body.nodes.map((node) => node['name']).join(' ');
  };
  const expected = {
    '': 'parent full',
    'include_children=true': 'parent child full',
    [`parent_node=${parent.uuid}`]: 'child',
    'maintenance=true': 'full',
    'maintenance=false': 'parent',
    'retired=true': 'full',
    'associated=true': 'full',
    'associated=false': 'parent',
    'sharded=true': 'full',
    'shard=S1,s2': 'full',
    'include_children=1&shard=Rack-A': 'child',
    'include_children=1&shard=rack-a': '',
    'shard=': 'parent full',
    'owner=o': 'full',
    'owner=o&include_children=1': 'child full',
    'lessee=l': 'full',
    'project=l': 'full',
    'resource_class=c': 'full',
    'driver=lab': '',
    'provision_state=clean%20failed': 'parent',
    'fault=clean%20failure': 'parent',
    'description_contains=rack%25': 'parent',
    'conductor=lab-host': 'parent full',
    'conductor=other': '',
    'conductor_group=': 'parent full',
    [`instance_uuid=${OTHER.toUpperCase()}`]: 'full',
    'instance_name=i': 'full',
    'owner=o&maintenance=false': '',
    "owner=o'%20OR%201=1;--": '',
  };
  for (const [query, found] of Object.entries(expected)) assert.equal(await names(query), found, query);
});

test('an invalid filter returns 400, and one newer than the version 406', async (t) => {
  const daemon = await startInProcess(t);
  const bad = ['maintenance=maybe', 'instance_uuid=x', 'provision_state=lost', 'fault=x', 'foo=1'];
  for (const query of [...bad, 'detail=true&fields=uuid', 'driver=a&driver=b']) {
    assert.equal((await daemon.request('GET', `/v1/nodes?${query}`)).status, 400, query);
  }
  const since = {
    driver: 16,
    resource_class: 21,
    provision_state: 9,
    fault: 42,
    conductor_group: 46,
    conductor: 49,
    owner: 50,
    lessee: 65,
    shard: 82,
    sharded: 82,
    include_children: 83,
    instance_name: 104,
    fields: 8,
  };
  for (const [name, version] of Object.entries(since)) {
    const path = `/v1/nodes?${name}=x`;
    assert.equal((await daemon.request('GET', path, { version: version - 1 })).status, 406, name);
    assert.notEqual((await daemon.request('GET', path, { version })).status, 406, name);
  }
  assert.equal((await daemon.request('GET', '/v1/nodes?detail=true', { version: 42 })).status, 400);
  assert.equal((await daemon.request('GET', '/v1/nodes?detail=true', { version: 43 })).status, 200);
  assert.equal((await daemon.request('GET', '/v1/nodes/detail?fields=uuid')).status, 400);
});

test('validate answers 200 with a result for each interface except vendor', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ driver: 'lab', driver_info: { lab_incomplete: 'yes' } });
  const paths = [`/v1/nodes/${uuid}/validate`, `/v1/nodes/validate?node_uuid=${uuid}`];
  for (const path of paths) {
    const { status, body } = await daemon.request('GET', path);
    assert.equal(status, 200);
    const types = 'bios boot console deploy firmware inspect management network power raid rescue storage';
    assert.equal(Object.keys(body).toSorted().join(' '), types);
    assert.deepEqual(body['storage'], { result: true });
    assert.match(JSON.stringify(body['power']), /"result":false,"reason":"[^"]*missing: lab_address\./);
  }
  assert.equal((await daemon.request('GET', '/v1/nodes/validate')).status, 400);
  assert.equal((await daemon.request('GET', `/v1/nodes/validate?node=${UNKNOWN}`)).status, 404);
});

test('the links of a node lead to it', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid, links } = await daemon.createNode();
  assert.deepEqual(links, [
    { href: `http://ironic.test/v1/nodes/${uuid}`, rel: 'self' },
    { href: `http://ironic.test/nodes/${uuid}`, rel: 'bookmark' },
  ]);
  for (const { href } of links) {
    const answer = await daemon.request('GET', href.replace('http://ironic.test', ''));
    assert.equal(answer.body.uuid, uuid);
  }
});

test('text with special characters is shown unchanged in a single node and in lists', async (t) => {
  const daemon = await startInProcess(t);
  const description = 'a "quote", a back\\slash, a\ttab,\na line, \u0000, \u{1f40d}, {uuid}';
  const extra = { 'a "key"': [description, null, 1.5, true] };
  const { uuid } = await daemon.createNode({ description, extra });
  for (const path of [`/v1/nodes/${uuid}`, '/v1/nodes/detail', '/v1/nodes?fields=description,extra']) {
    const { status, body } = await daemon.request('GET', path);
    assert.equal(status, 200);
    const shown = path.endsWith(uuid) ? body : body.nodes[0];
    assert.deepEqual([shown?.['description'], shown?.['extra']], [description, extra], path);
  }
});

test('a page of large nodes ends early, and next leads to the rest', async (t) => {
  const daemon = await startInProcess(t);
  const extra = { text: 'x'.repeat(1_000_000) };
  const made: string[] = [];
  for (let count = 0; count < 20; count += 1) made.push((await daemon.createNode({ extra })).uuid);
  const whole = await daemon.request('GET', '/v1/nodes/detail?sort_key=created_at&limit=50');
  assert.equal(whole.body.nodes.length, 17);
  const { pathname, search } = new URL(whole.body.next);
  const rest = await daemon.request('GET', `${pathname}${search}`);
  assert.equal(rest.body.next, undefined);
  assert.deepEqual(
    [...whole.body.nodes, ...rest.body.nodes].map(({ uuid }) => uuid).toSorted(),
    made.toSorted(),
  );
  assert.equal((await daemon.request('GET', '/v1/nodes?limit=50')).body.nodes.length, 20);
});
