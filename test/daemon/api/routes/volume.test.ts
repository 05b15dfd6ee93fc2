// Volume connectors and targets over HTTP.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { NodeChanges } from '../../../../daemon/model/records/node.ts';
import type { VolumeConnector, VolumeTarget } from '../../../../daemon/model/records/volume.ts';
import { expectFault, expectReply } from '../../../fakes/clients/api-replies.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const session = await startInProcess({ after }, { ini: '[conductor]\nnode_locked_retry_attempts = 1\n' });
const { services } = session;

const MISSING = '00000000-0000-4000-8000-000000000000';
const CONNECTORS = '/v1/volume/connectors';
const TARGETS = '/v1/volume/targets';
const paths = [CONNECTORS, TARGETS];

async function newNode(fields: NodeChanges = { power_state: 'power off' }): Promise<string> {
  const body = { driver: 'fake-hardware' };
  const { uuid } = await expectReply<{ uuid: string }>(session.request('POST', '/v1/nodes', { body }), 201);
  services.db.nodes.update(uuid, fields);
  return uuid;
}
const unique = (function* () {
  for (let count = 0; ; count += 1) yield count;
})();
const connectorOf = (node: string) => ({
  node_uuid: node,
  type: 'iqn',
  connector_id: `iqn.2026-01.example:${unique.next().value}`,
});
const targetOf = (node: string) => ({
  node_uuid: node,
  volume_type: 'iscsi',
  volume_id: 'vol-1',
  boot_index: unique.next().value,
});
const bodyFor = (path: string, node: string) => (path === TARGETS ? targetOf(node) : connectorOf(node));
const make = <T = VolumeConnector & VolumeTarget>(path: string, body: object) =>
  expectReply<T>(session.request('POST', path, { body }), 201);
const refused = (status: number, path: string, body: object) =>
  expectFault(session.request('POST', path, { body }), status);
const patch = (path: string, operations: readonly object[]) =>
  session.request('PATCH', path, { body: operations });
const listed = async (path: string) => {
  const body = await expectReply<Record<string, readonly { uuid: string }[]>>(
    session.request('GET', path),
    200,
  );
  return body['connectors'] ?? body['targets'] ?? [];
};
const uuidsOf = async (path: string) => (await listed(path)).map(({ uuid }) => uuid);

const node = await newNode();

test('/v1/volume and /v1/nodes/NODE/volume link to connectors and targets', async () => {
  services.db.nodes.update(node, { name: 'rack1' });
  for (const [path, base] of [
    ['/v1/volume', 'volume'],
    ['/v1/nodes/rack1/volume', `nodes/${node}/volume`],
  ] as const) {
    const body = await expectReply<Record<string, readonly { href: string; rel: string }[]>>(
      session.request('GET', path),
      200,
    );
    const hrefs = Object.entries(body).map(([name, links]) => [
      name,
      ...links.map(({ href, rel }) => `${rel} ${new URL(href).pathname}`),
    ]);
    assert.deepEqual(hrefs, [
      ['links', `self /v1/${base}/`, `bookmark /${base}/`],
      ['connectors', `self /v1/${base}/connectors`, `bookmark /${base}/connectors`],
      ['targets', `self /v1/${base}/targets`, `bookmark /${base}/targets`],
    ]);
  }
  await expectFault(session.request('GET', '/v1/nodes/nobody/volume'), 404);
  await expectFault(session.request('GET', '/v1/volume/foo'), 404);
});

test('requests for volume connectors and targets return 404 before 1.32', async () => {
  const { uuid } = await make(CONNECTORS, connectorOf(node));
  const all = ['/v1/volume', ...paths, `${CONNECTORS}/${uuid}`, `/v1/nodes/${node}/volume`];
  for (const path of [...all, `/v1/nodes/${node}/volume/targets`]) {
    await expectFault(session.request('GET', path, { version: 31 }), 404);
    await expectReply(session.request('GET', path, { version: 32 }), 200);
  }
  for (const [method, path] of [
    ['POST', CONNECTORS],
    ['PATCH', `${CONNECTORS}/${uuid}`],
    ['DELETE', `${CONNECTORS}/${uuid}`],
  ] as const) {
    await expectFault(session.request(method, path, { version: 31 }), 404);
  }
});

test('a connector is created, shown, changed and deleted', async () => {
  const body = { ...connectorOf(node), extra: { note: 1 } };
  const reply = await session.request('POST', CONNECTORS, { body });
  const { links, created_at, uuid, ...rest } = reply.json as VolumeConnector & { links: unknown };
  assert.equal(reply.status, 201);
  assert.match(reply.headers.get('location') ?? '', new RegExp(`^http://[^/]+${CONNECTORS}/${uuid}$`));
  assert.match(JSON.stringify(links), new RegExp(`/v1/volume/connectors/${uuid}"`));
  assert.match(created_at ?? '', /\+00:00$/);
  assert.deepEqual(rest, { ...body, updated_at: null });

  const path = `${CONNECTORS}/${uuid}`;
  const operation = { op: 'replace', path: '/connector_id', value: 'iqn.2026-01.example:changed' };
  const changed = await expectReply(patch(path, [operation]), 200);
  assert.equal(changed['connector_id'], operation.value);
  assert.notEqual(changed['updated_at'], null);
  await expectReply(session.request('DELETE', path), 204);
  const gone = await expectFault(session.request('GET', path), 404);
  assert.equal(gone, `Volume connector ${uuid} could not be found.`);
});

test('the secrets of a target are stored and never shown', async () => {
  const properties = { auth_username: 'u', auth_password: 'open', portals: [{ chapSecret: 'sesame' }] };
  const made = await make(TARGETS, { ...targetOf(node), properties });
  const path = `${TARGETS}/${made.uuid}`;
  const operation = { op: 'add', path: '/properties/target_lun', value: 1 };
  const replies = [
    made,
    await expectReply(patch(path, [operation]), 200),
    await expectReply(session.request('GET', path), 200),
    await expectReply(session.request('GET', `${path}?fields=properties`), 200),
    ...(await listed(`${TARGETS}?detail=true`)),
    ...(await listed(`/v1/nodes/${node}/volume/targets?fields=properties`)),
  ];
  for (const reply of replies) assert.doesNotMatch(JSON.stringify(reply), /open|sesame/);
  const [, changed] = replies;
  assert.deepEqual((changed as VolumeTarget).properties, {
    auth_username: 'u',
    auth_password: '******',
    portals: [{ chapSecret: '******' }],
    target_lun: 1,
  });
  assert.deepEqual(services.db.volumeTargets.get(made.uuid)?.properties, { ...properties, target_lun: 1 });
});

test('an invalid connector or target is refused with the reason', async () => {
  for (const path of paths) {
    const body = bodyFor(path, node);
    for (const name of Object.keys(body)) {
      const { [name as 'node_uuid']: _, ...rest } = body;
      assert.match(await refused(400, path, rest), new RegExp(`'${name}' is a required property`));
    }
    assert.match(await refused(400, path, { ...body, color: 1 }), /'color' was unexpected/);
    assert.match(
      await refused(400, path, { ...body, node_uuid: MISSING }),
      new RegExp(`node_uuid.*${MISSING}`),
    );
  }
  for (const boot_index of ['0', 1.5, null, true]) {
    assert.match(await refused(400, TARGETS, { ...targetOf(node), boot_index }), /boot_index/);
  }
});

test('connectors are unique by type and connector_id, and targets by node and boot_index', async () => {
  const connector = connectorOf(node);
  const target = targetOf(node);
  const other = await newNode();
  const made = [await make(CONNECTORS, connector), await make(TARGETS, target)] as const;
  assert.equal(
    await refused(409, CONNECTORS, { ...connector, node_uuid: other }),
    `A volume connector of type iqn with connector ID ${connector.connector_id} already exists.`,
  );
  assert.equal(
    await refused(409, TARGETS, { ...target, volume_id: 'vol-2' }),
    `A volume target with boot index ${target.boot_index} already exists for node ${node}.`,
  );
  await make(CONNECTORS, { ...connector, type: 'wwnn' });
  await make(TARGETS, { ...target, node_uuid: other });
  assert.match(
    await refused(409, TARGETS, { ...targetOf(node), uuid: made[1].uuid }),
    /A volume target with UUID/,
  );
  const second = await make(TARGETS, targetOf(node));
  const operation = { op: 'replace', path: '/boot_index', value: target.boot_index };
  await expectFault(patch(`${TARGETS}/${second.uuid}`, [operation]), 409);
});

test('connectors and targets can be changed and deleted only while the node is powered off', async () => {
  for (const path of paths) {
    for (const power_state of ['power on', null, 'error'] as const) {
      const powered = await newNode({ power_state });
      const { uuid } = await make(path, bodyFor(path, powered));
      const operation = { op: 'add', path: '/extra/a', value: 1 };
      assert.match(await expectFault(patch(`${path}/${uuid}`, [operation]), 400), /power/);
      await expectFault(session.request('DELETE', `${path}/${uuid}`), 400);
      services.db.nodes.update(powered, { power_state: 'power off' });
      await expectReply(patch(`${path}/${uuid}`, [operation]), 200);
      await expectReply(session.request('DELETE', `${path}/${uuid}`), 204);
    }
  }
});

test('changing and deleting a connector or target need the lock of its node, but creating does not', async () => {
  const uuid = await newNode();
  const release = services.locks.tryAcquire(uuid);
  for (const path of paths) {
    const made = await make(path, bodyFor(path, uuid));
    assert.match(await expectFault(patch(`${path}/${made.uuid}`, []), 409), /is locked by host/);
    await expectFault(session.request('DELETE', `${path}/${made.uuid}`), 409);
  }
  release?.();
});

test('a connector or target can move to another existing node, and never loses its mandatory fields', async () => {
  const other = await newNode();
  for (const path of paths) {
    const body = bodyFor(path, node);
    const { uuid } = await make(path, body);
    const moved = await expectReply(
      patch(`${path}/${uuid}`, [{ op: 'replace', path: '/node_uuid', value: other }]),
      200,
    );
    assert.equal(moved['node_uuid'], other);
    const missing = { op: 'replace', path: '/node_uuid', value: MISSING };
    await expectFault(patch(`${path}/${uuid}`, [missing]), 400);
    const kept = await expectReply(patch(`${path}/${uuid}`, [{ op: 'remove', path: '/node_uuid' }]), 200);
    assert.equal(kept['node_uuid'], other);
    for (const name of Object.keys(body).filter((each) => each !== 'node_uuid')) {
      const operation = { op: 'remove', path: `/${name}` };
      assert.match(await expectFault(patch(`${path}/${uuid}`, [operation]), 400), /mandatory/);
    }
    const rename = { op: 'replace', path: '/uuid', value: MISSING };
    assert.match(await expectFault(patch(`${path}/${uuid}`, [rename]), 400), /Cannot patch \/uuid/);
  }
});

test('connectors and targets are found by UUID only', async () => {
  for (const path of paths) {
    const named = `${path}/boot`;
    const requests = [session.request('GET', named), patch(named, []), session.request('DELETE', named)];
    for (const request of requests) assert.match(await expectFault(request, 400), /Expected a UUID/);
    await expectFault(session.request('GET', `${path}/detail`), 400);
    await expectFault(session.request('GET', `${path}/${MISSING}`), 404);
    await expectFault(session.request('GET', `${path}?marker=${MISSING}`), 404);
  }
});

test('a list shows a summary of each connector or target unless detail or fields is given', async () => {
  const summaries = {
    [CONNECTORS]: ['connector_id', 'links', 'node_uuid', 'type', 'uuid'],
    [TARGETS]: ['boot_index', 'links', 'node_uuid', 'uuid', 'volume_id', 'volume_type'],
  };
  for (const [path, summary] of Object.entries(summaries)) {
    await make(path, bodyFor(path, node));
    const keys = async (search: string) => {
      const [first] = await listed(`${path}?${search}`);
      return Object.keys(first ?? {}).toSorted();
    };
    assert.deepEqual(await keys(''), summary);
    assert.deepEqual(await keys('fields=uuid,extra'), ['extra', 'links', 'uuid']);
    assert.ok((await keys('detail=true')).includes('created_at'));
    await expectReply(session.request('GET', `${path}?detail=true`, { version: 32 }), 200);
    await expectFault(session.request('GET', `${path}?detail=true&fields=uuid`), 400);
    await expectFault(session.request('GET', `${path}?fields=color`), 400);
  }
});

test('connectors and targets are listed for a node by its UUID or name, in the path or in the filter node', async () => {
  const uuid = await newNode({ name: 'holder' });
  for (const path of paths) {
    const made = [await make(path, bodyFor(path, uuid)), await make(path, bodyFor(path, uuid))];
    const expected = made.map((one) => one.uuid);
    const below = path.replace('/v1', '');
    for (const ident of [uuid, 'holder']) {
      assert.deepEqual(await uuidsOf(`${path}?node=${ident}`), expected);
      assert.deepEqual(await uuidsOf(`/v1/nodes/${ident}${below}`), expected);
    }
    const page = await expectReply<{ next?: string }>(
      session.request('GET', `${path}?node=holder&limit=1`),
      200,
    );
    const next = new URL(page.next ?? '');
    assert.deepEqual(await uuidsOf(`${next.pathname}${next.search}`), expected.slice(1));
    const single = session.request('GET', `/v1/nodes/holder${below}/${expected[0]}`);
    assert.match(await expectFault(single, 400), /Malformed request URI/);
    await expectFault(session.request('GET', `${path}?node=nobody`), 404);
  }
});

test('targets are sorted numerically by boot_index', async () => {
  const uuid = await newNode();
  for (const boot_index of [10, 9, 0]) await make(TARGETS, { ...targetOf(uuid), boot_index });
  const targets = await listed(`/v1/nodes/${uuid}/volume/targets?sort_key=boot_index`);
  assert.deepEqual(
    targets.map((target) => (target as VolumeTarget).boot_index),
    [0, 9, 10],
  );
});

test('deleting a node deletes its connectors and targets', async () => {
  const uuid = await newNode();
  const made = await Promise.all(paths.map((path) => make(path, bodyFor(path, uuid))));
  await expectReply(session.request('DELETE', `/v1/nodes/${uuid}`), 204);
  for (const [index, path] of paths.entries()) {
    await expectFault(session.request('GET', `${path}/${made[index]?.uuid}`), 404);
  }
});
