// Chassis over HTTP, and the nodes in them.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Chassis } from '../../../../daemon/model/records/chassis.ts';
import { expectFault, expectReply } from '../../../fakes/clients/api-replies.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const session = await startInProcess({ after });
const { services } = session;

const MISSING = '00000000-0000-4000-8000-000000000000';
type Node = Readonly<Record<string, unknown>> & { readonly uuid: string };
type Nodes = { readonly nodes: readonly Node[]; readonly next?: string };

const newChassis = (body: object = {}) =>
  expectReply<Chassis>(session.request('POST', '/v1/chassis', { body }), 201);
const newNode = (body: object = {}) =>
  expectReply<Node>(
    session.request('POST', '/v1/nodes', { body: { driver: 'fake-hardware', ...body } }),
    201,
  );
const patch = (path: string, operations: readonly object[], version = 115) =>
  session.request('PATCH', path, { version, body: operations });

test('a chassis is created, shown, changed and deleted', async () => {
  const reply = await session.request('POST', '/v1/chassis', {
    body: { description: 'rack 1', extra: { row: 'a' } },
  });
  const made = reply.json as Chassis;
  assert.equal(reply.status, 201);
  assert.match(reply.headers.get('location') ?? '', new RegExp(`^http://[^/]+/v1/chassis/${made.uuid}$`));
  assert.deepEqual([made.description, made.extra, made.updated_at], ['rack 1', { row: 'a' }, null]);

  const path = `/v1/chassis/${made.uuid}`;
  assert.deepEqual(await expectReply(session.request('GET', path), 200), made);
  const changed = await expectReply<Chassis>(
    patch(path, [
      { op: 'replace', path: '/description', value: 'rack 2' },
      { op: 'remove', path: '/extra/row' },
    ]),
    200,
  );
  assert.deepEqual([changed.description, changed.extra], ['rack 2', {}]);
  assert.notEqual(changed.updated_at, null);

  await expectReply(session.request('DELETE', path), 204);
  assert.match(await expectFault(session.request('GET', path), 404), /^Chassis .* could not be found\.$/);
});

test('a chassis is created without a body, and the oldest version shows all its fields', async () => {
  const made = await expectReply(session.request('POST', '/v1/chassis', { version: null }), 201);
  assert.deepEqual(Object.keys(made).toSorted(), [
    'created_at',
    'description',
    'extra',
    'links',
    'nodes',
    'updated_at',
    'uuid',
  ]);
});

test('the links to the nodes of a chassis are a list within a list', async () => {
  const made = await expectReply<{ uuid: string; nodes: unknown }>(
    session.request('POST', '/v1/chassis'),
    201,
  );
  const [links] = made.nodes as readonly (readonly { href: string; rel: string }[])[];
  assert.deepEqual(
    links?.map(({ href, rel }) => [rel, new URL(href).pathname]),
    [
      ['self', `/v1/chassis/${made.uuid}/nodes`],
      ['bookmark', `/chassis/${made.uuid}/nodes`],
    ],
  );
});

test('a list shows a summary of each chassis unless detail or fields is given', async () => {
  const { uuid } = await newChassis({ description: 'last' });
  const keysOf = async (path: string) => {
    const { chassis } = await expectReply<{ chassis: readonly Chassis[] }>(session.request('GET', path), 200);
    return Object.keys(chassis.find((one) => one.uuid === uuid) ?? {}).toSorted();
  };
  assert.deepEqual(await keysOf('/v1/chassis'), ['description', 'links', 'uuid']);
  assert.deepEqual(await keysOf('/v1/chassis?fields=uuid,extra'), ['extra', 'links', 'uuid']);
  assert.ok((await keysOf('/v1/chassis/detail')).includes('nodes'));
  assert.ok((await keysOf('/v1/chassis?detail=true')).includes('nodes'));
  await expectFault(session.request('GET', '/v1/chassis?detail=true', { version: 42 }), 400);
  await expectFault(session.request('GET', '/v1/chassis?fields=uuid', { version: 7 }), 406);
  await expectFault(session.request('GET', '/v1/chassis?fields=color'), 400);
  await expectFault(session.request('GET', '/v1/chassis?detail=true&fields=uuid'), 400);
});

test('chassis are listed in pages, in the requested order', async () => {
  const made = [await newChassis({ description: 'p2' }), await newChassis({ description: 'p1' })];
  const first = `/v1/chassis?sort_key=description&sort_dir=desc&limit=1&fields=uuid,description`;
  const seen: string[] = [];
  for (let next: string | undefined = first; next !== undefined;) {
    const page: { chassis: readonly Chassis[]; next?: string } = await expectReply(
      session.request('GET', next),
      200,
    );
    seen.push(...page.chassis.map(({ uuid }) => uuid));
    next = page.next === undefined ? undefined : page.next.slice(page.next.indexOf('/v1/'));
  }
  const positions = made.map(({ uuid }) => seen.indexOf(uuid));
  assert.ok(positions[0] !== -1 && (positions[0] ?? 0) < (positions[1] ?? 0));
  assert.equal(new Set(seen).size, seen.length);
  await expectFault(session.request('GET', '/v1/chassis?sort_key=extra'), 400);
  await expectFault(session.request('GET', `/v1/chassis?marker=${MISSING}`), 404);
});

test('an invalid chassis, a UUID in use and a path without a UUID are refused with the reason', async () => {
  const refused = (body: unknown) => expectFault(session.request('POST', '/v1/chassis', { body }), 400);
  assert.match(await refused({ color: 'red' }), /'color' was unexpected/);
  assert.match(await refused({ description: 'x'.repeat(256) }), /description/);
  assert.match(await refused({ uuid: 'rack' }), /uuid/);
  const { uuid } = await newChassis();
  const again = await expectFault(session.request('POST', '/v1/chassis', { body: { uuid } }), 409);
  assert.equal(again, `A chassis with UUID ${uuid} already exists.`);
  assert.match(await expectFault(session.request('GET', '/v1/chassis/rack1'), 400), /Expected a UUID/);
});

test('the UUID of a chassis cannot be overwritten', async () => {
  const { uuid } = await newChassis();
  const path = `/v1/chassis/${uuid}`;
  const reason = await expectFault(patch(path, [{ op: 'replace', path: '/uuid', value: MISSING }]), 400);
  assert.match(reason, /Cannot overwrite UUID/);
  await expectReply(patch(path, [{ op: 'replace', path: '/uuid', value: uuid }]), 200);
});

test('a chassis with nodes cannot be deleted', async () => {
  const { uuid } = await newChassis();
  const node = await newNode({ chassis_uuid: uuid });
  assert.match(await expectFault(session.request('DELETE', `/v1/chassis/${uuid}`), 400), /contains nodes/);
  await expectReply(session.request('DELETE', `/v1/nodes/${node.uuid}`), 204);
  await expectReply(session.request('DELETE', `/v1/chassis/${uuid}`), 204);
});

test('PATCH moves a node to another chassis and out of it', async () => {
  const [one, other] = [await newChassis(), await newChassis()];
  const node = await newNode({ chassis_uuid: one.uuid.toUpperCase() });
  assert.equal(node['chassis_uuid'], one.uuid);
  const path = `/v1/nodes/${node.uuid}`;
  const moved = await expectReply(
    patch(path, [{ op: 'add', path: '/chassis_uuid', value: other.uuid }], 1),
    200,
  );
  assert.equal(moved['chassis_uuid'], other.uuid);
  const taken = await expectReply(patch(path, [{ op: 'remove', path: '/chassis_uuid' }], 25), 200);
  assert.equal(taken['chassis_uuid'], null);
});

test('before 1.25 a node cannot be removed from its chassis', async () => {
  const chassis = await newChassis();
  const { uuid } = await newNode({ chassis_uuid: chassis.uuid });
  const operations = [
    { op: 'remove', path: '/chassis_uuid' },
    { op: 'replace', path: '/chassis_uuid', value: null },
  ];
  for (const operation of operations) {
    assert.match(await expectFault(patch(`/v1/nodes/${uuid}`, [operation], 24), 406), /1\.25/);
  }
  assert.equal(services.db.nodes.get(uuid)?.chassis_uuid, chassis.uuid);
});

test('an unknown chassis_uuid of a node is refused', async () => {
  const body = { driver: 'fake-hardware', chassis_uuid: MISSING };
  const reason = await expectFault(session.request('POST', '/v1/nodes', { body }), 400);
  assert.match(reason, new RegExp(`chassis_uuid.*${MISSING}`));
  const { uuid } = await newNode();
  const operation = { op: 'add', path: '/chassis_uuid', value: MISSING };
  await expectFault(patch(`/v1/nodes/${uuid}`, [operation]), 400);
  assert.equal(services.db.nodes.get(uuid)?.chassis_uuid, null);
});

test('nodes are listed by chassis, briefly and in detail', async () => {
  const { uuid } = await newChassis();
  const inside = [await newNode({ chassis_uuid: uuid }), await newNode({ chassis_uuid: uuid })];
  await newNode();
  const uuids = inside.map((node) => node.uuid);
  for (const path of [`/v1/nodes?chassis_uuid=${uuid}`, `/v1/chassis/${uuid}/nodes`]) {
    const { nodes } = await expectReply<Nodes>(session.request('GET', path), 200);
    assert.deepEqual(
      nodes.map((node) => node.uuid),
      uuids,
    );
    assert.equal('chassis_uuid' in (nodes[0] ?? {}), false);
  }
  const { nodes } = await expectReply<Nodes>(session.request('GET', `/v1/chassis/${uuid}/nodes/detail`), 200);
  assert.deepEqual(
    nodes.map((node) => [node.uuid, node['chassis_uuid']]),
    uuids.map((node) => [node, uuid]),
  );
  await expectFault(session.request('GET', `/v1/nodes?chassis_uuid=${MISSING}`), 404);
  await expectFault(session.request('GET', '/v1/nodes?chassis_uuid=rack'), 400);
});

test('the next link in a list of the nodes of a chassis has the path of that list', async () => {
  const { uuid } = await newChassis();
  const inside = [await newNode({ chassis_uuid: uuid }), await newNode({ chassis_uuid: uuid })];
  const page = await expectReply<Nodes>(session.request('GET', `/v1/chassis/${uuid}/nodes?limit=1`), 200);
  const next = new URL(page.next ?? '');
  assert.equal(next.pathname, `/v1/chassis/${uuid}/nodes`);
  const rest = await expectReply<Nodes>(session.request('GET', `${next.pathname}${next.search}`), 200);
  assert.deepEqual(
    [...page.nodes, ...rest.nodes].map((node) => node.uuid),
    inside.map((node) => node.uuid),
  );
});

test('the nodes below a chassis can be listed there, but not created, shown, changed or deleted', async () => {
  const { uuid } = await newChassis();
  const node = await newNode({ chassis_uuid: uuid });
  const path = `/v1/chassis/${uuid}/nodes`;
  assert.match(await expectFault(session.request('POST', path, { body: {} }), 400), /Malformed request URI/);
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    assert.match(
      await expectFault(session.request(method, `${path}/${node.uuid}`), 400),
      /Malformed request URI/,
    );
  }
  await expectFault(session.request('GET', `/v1/chassis/${MISSING}/nodes`), 404);
  await expectFault(session.request('GET', '/v1/chassis/nodes'), 400);
});
