import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { nodeFields } from '../../../daemon/model/records/node.ts';
import { type Port, portFields } from '../../../daemon/model/records/port.ts';
import { newRecord } from '../../../daemon/conductor/records/new-record.ts';
import { fakeNode } from '../../fakes/task.ts';
import { type InProcessDaemon, startInProcess } from '../../fakes/daemon/in-process-daemon.ts';

const JSON_FIELDS = ['driver_info', 'driver_internal_info', 'properties', 'instance_info', 'extra', 'traits'];
const MORE_JSON = [
  'wait',
  'clean_step',
  'deploy_step',
  'service_step',
  'raid_config',
  'target_raid_config',
  'network_data',
];
const unsortableNode = [...JSON_FIELDS, ...MORE_JSON, 'conductor'];
const unsortablePort = ['extra', 'internal_info', 'local_link_connection'];
const sortable = (fields: object, unsortable: readonly string[]) => [
  'id',
  ...Object.keys(fields).filter((name) => !unsortable.includes(name)),
];

/** Returns the UUIDs on all pages. Follows `next` as clients do. */
async function walk(daemon: InProcessDaemon, path: string, key: 'nodes' | 'ports'): Promise<unknown[]> {
  const seen: unknown[] = [];
  let next: string | undefined = path;
  while (next !== undefined) {
    const { status, body, text } = await daemon.request('GET', next);
    assert.equal(status, 200, `${next} ${text}`);
    seen.push(...body[key].map(({ uuid }) => uuid));
    next = body.next?.replace('http://ironic.test', '');
    assert.ok(seen.length < 1000, 'the pages do not end');
  }
  return seen;
}

const uuidOf = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
const someText = fc.constantFrom(null, '', 'a', 'A', 'b', 'ä', 'é%', "'", '10', '9');
const someNode = fc.record({
  description: someText,
  owner: someText,
  resource_class: someText,
  maintenance: fc.boolean(),
  automated_clean: fc.constantFrom(null, true, false),
  last_error: someText,
  created_at: fc.constantFrom('2026-01-01T00:00:00.000+00:00', '2026-01-02T00:00:00.000+00:00', null),
});

test('pages list every node once and in order, with any sort_key, sort_dir and limit', async (t) => {
  const daemon = await startInProcess(t);
  const { nodes } = daemon.services.db;
  const columns = sortable(nodeFields, unsortableNode);
  await fc.assert(
    fc.asyncProperty(
      fc.array(someNode, { maxLength: 12 }),
      fc.constantFrom(...columns),
      fc.constantFrom('asc', 'desc'),
      fc.integer({ min: 1, max: 5 }),
      async (records, column, direction, limit) => {
        const stored = records.map((record, at) => fakeNode({ ...record, uuid: uuidOf(at) }));
        for (const node of stored) nodes.insert(node);
        const query = `sort_key=${column}&sort_dir=${direction}&limit=${limit}&fields=uuid`;
        const seen = await walk(daemon, `/v1/nodes?${query}`, 'nodes');
        assert.deepEqual(seen, inOrder(stored, column, direction));
        for (const node of stored) nodes.remove(node.uuid);
      },
    ),
    { numRuns: 150, seed: 7 },
  );
});

// SQLite's order: NULL first, then false before true, or text by its bytes
function compare(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return Buffer.compare(Buffer.from(JSON.stringify(a)), Buffer.from(JSON.stringify(b)));
}

// equal values are in the order of creation, which `desc` reverses too
function inOrder(records: readonly object[], column: string, direction: string): readonly unknown[] {
  const keyed = records.map((record, at) => ({ at, record: record as Readonly<Record<string, unknown>> }));
  const sorted = keyed.toSorted(
    (a, b) =>
      (column === 'id' ? 0 : compare(a.record[column] ?? null, b.record[column] ?? null)) || a.at - b.at,
  );
  if (direction === 'desc') sorted.reverse();
  return sorted.map(({ record }) => record['uuid']);
}

test('pages list every port in order, for every sort_key and sort_dir, also below a node', async (t) => {
  const daemon = await startInProcess(t);
  const node = await daemon.createNode();
  const stored = [3, 1, 2, 5, 4].map((digit, at) =>
    newRecord<Port>(daemon.services, portFields, {
      node_uuid: node.uuid,
      address: `52:54:00:00:00:0${digit}`,
      uuid: uuidOf(digit),
      description: at % 2 === 0 ? null : `d${digit}`,
      pxe_enabled: digit > 2,
    }),
  );
  for (const port of stored) daemon.services.db.ports.insert(port);
  for (const column of sortable(portFields, unsortablePort)) {
    for (const direction of ['asc', 'desc']) {
      for (const path of ['/v1/ports', '/v1/ports/detail', `/v1/nodes/${node.uuid}/ports`]) {
        const query = `sort_key=${column}&sort_dir=${direction}&limit=2`;
        const seen = await walk(daemon, `${path}?${query}`, 'ports');
        assert.deepEqual(seen, inOrder(stored, column, direction), `${path} ${query}`);
      }
    }
  }
});

test('an invalid sort_key returns 400, and one newer than the version 406', async (t) => {
  const daemon = await startInProcess(t);
  const bad = [...unsortableNode, 'foo', '__proto__', 'constructor', 'id;--', 'links', 'ports'];
  for (const key of bad) {
    const answer = await daemon.request('GET', `/v1/nodes?sort_key=${key}`);
    assert.equal(answer.status, 400, key);
    assert.match(answer.fault, /invalid for sorting/, key);
  }
  for (const key of [...unsortablePort, 'driver']) {
    assert.equal((await daemon.request('GET', `/v1/ports?sort_key=${key}`)).status, 400, key);
  }
  assert.equal((await daemon.request('GET', '/v1/nodes?sort_key=shard', { version: 81 })).status, 406);
  assert.equal((await daemon.request('GET', '/v1/nodes?sort_key=shard', { version: 82 })).status, 200);
});

test('invalid limit, sort_dir and marker are refused, and max_limit caps the page', async (t) => {
  const daemon = await startInProcess(t, { ini: '[api]\nmax_limit = 3\n' });
  for (const name of ['a', 'b', 'c', 'd']) await daemon.createNode({ name });
  const status = async (query: string) => (await daemon.request('GET', `/v1/nodes?${query}`)).status;
  assert.equal(await status('sort_key='), 200);
  for (const query of [
    'limit=0',
    'limit=-1',
    'limit=x',
    'limit=1.5',
    'limit=',
    'limit=1&limit=2',
    'sort_dir=up',
  ]) {
    assert.equal(await status(query), 400, query);
  }
  assert.equal(await status('marker=a'), 400);
  assert.equal(await status(`marker=${uuidOf(9)}`), 404);
  const capped = await daemon.request('GET', '/v1/nodes?limit=5000');
  assert.equal(capped.body.nodes.length, 3);
  assert.ok(capped.body.next);
});

test('next is present exactly when the page is full, even if nothing follows', async (t) => {
  const daemon = await startInProcess(t);
  for (const name of ['a', 'b']) await daemon.createNode({ name });
  const next = async (path: string) => (await daemon.request('GET', path)).body.next;
  const link = await next('/v1/nodes?limit=2');
  assert.ok(link);
  assert.deepEqual((await daemon.request('GET', link.replace('http://ironic.test', ''))).body.nodes, []);
  assert.equal(await next('/v1/nodes?limit=3'), undefined);
  assert.equal(await next('/v1/nodes'), undefined);
});

test('next keeps the path, filters, order, fields and limit of the request', async (t) => {
  const daemon = await startInProcess(t);
  const node = await daemon.createNode({ owner: 'o', shard: 's1', description: 'a, b & c?' });
  await daemon.createPort(node.uuid, '52:54:00:00:00:01');
  const query = [
    'maintenance=false',
    'associated=False',
    'retired=0',
    'sharded=yes',
    'owner=o',
    'shard=s1,s2',
    'driver=fake-hardware',
    'provision_state=enroll',
    `description_contains=${encodeURIComponent('b & c?')}`,
    'sort_key=name',
    'sort_dir=desc',
    'fields=uuid,name',
    'limit=1',
  ];
  const first = await daemon.request('GET', `/v1/nodes?${query.join('&')}`);
  const next = new URL(first.body.next);
  assert.equal(next.pathname, '/v1/nodes');
  const expected = {
    maintenance: 'false',
    associated: 'false',
    retired: 'false',
    sharded: 'true',
    owner: 'o',
    shard: 's1,s2',
    driver: 'fake-hardware',
    provision_state: 'enroll',
    description_contains: 'b & c?',
    sort_key: 'name',
    sort_dir: 'desc',
    fields: 'uuid,name',
    limit: '1',
    marker: node.uuid,
  };
  assert.deepEqual(Object.fromEntries(next.searchParams), expected);
  const paths = ['/v1/nodes/detail', '/v1/ports/detail', `/v1/nodes/${node.uuid}/ports`];
  for (const path of paths) {
    const { body } = await daemon.request('GET', `${path}?limit=1`);
    assert.equal(new URL(body.next).pathname, path);
  }
});

test('a list filtered by instance_uuid has no next', async (t) => {
  const daemon = await startInProcess(t);
  const instance_uuid = uuidOf(1);
  await daemon.createNode({ instance_uuid });
  const { body } = await daemon.request('GET', `/v1/nodes?instance_uuid=${instance_uuid}&limit=1`);
  assert.equal(body.nodes.length, 1);
  assert.equal(body.next, undefined);
});
