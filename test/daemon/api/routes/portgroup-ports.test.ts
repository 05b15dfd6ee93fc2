// Ports in portgroups, over HTTP: the rules of membership, and what members share.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { NodeChanges } from '../../../../daemon/model/records/node.ts';
import type { Port } from '../../../../daemon/model/records/port.ts';
import type { Portgroup } from '../../../../daemon/model/records/portgroup.ts';
import { expectFault, expectReply } from '../../../fakes/clients/api-replies.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const session = await startInProcess({ after });
const { services } = session;

const MISSING = '00000000-0000-4000-8000-000000000000';
const addresses = (function* () {
  for (let last = 0; last < 256; last += 1) yield `52:54:00:bb:00:${last.toString(16).padStart(2, '0')}`;
})();

async function newNode(fields: NodeChanges = {}): Promise<string> {
  const body = { driver: 'fake-hardware' };
  const { uuid } = await expectReply<{ uuid: string }>(session.request('POST', '/v1/nodes', { body }), 201);
  if (Object.keys(fields).length > 0) services.db.nodes.update(uuid, fields);
  return uuid;
}
const newPortgroup = (body: object) =>
  expectReply<Portgroup>(session.request('POST', '/v1/portgroups', { body }), 201);
const postPort = (body: object, version = 115) =>
  session.request('POST', '/v1/ports', { version, body: { address: addresses.next().value, ...body } });
const newPort = (body: object) => expectReply<Port>(postPort(body), 201);
const patch = (path: string, changes: object, version = 115) =>
  session.request('PATCH', `/v1/${path}`, {
    version,
    body: Object.entries(changes).map(([name, value]) => ({ op: 'add', path: `/${name}`, value })),
  });
const uuidsOf = async (path: string) => {
  const { ports } = await expectReply<{ ports: readonly Port[] }>(session.request('GET', path), 200);
  return ports.map(({ uuid }) => uuid);
};

const node = await newNode();

test('a port is added to a portgroup and removed from it', async () => {
  const group = await newPortgroup({ node_uuid: node });
  const port = await newPort({ node_uuid: node, portgroup_uuid: group.uuid.toUpperCase() });
  assert.equal(port.portgroup_uuid, group.uuid);
  const path = `/v1/ports/${port.uuid}`;
  const remove = [{ op: 'remove', path: '/portgroup_uuid' }];
  const out = await expectReply<Port>(session.request('PATCH', path, { body: remove }), 200);
  assert.equal(out.portgroup_uuid, null);
  const back = await expectReply<Port>(patch(`ports/${port.uuid}`, { portgroup_uuid: group.uuid }), 200);
  assert.equal(back.portgroup_uuid, group.uuid);
});

test('portgroup_uuid of a port needs 1.24', async () => {
  const group = await newPortgroup({ node_uuid: node });
  await expectFault(postPort({ node_uuid: node, portgroup_uuid: group.uuid }, 23), 406);
  const port = await newPort({ node_uuid: node });
  await expectFault(patch(`ports/${port.uuid}`, { portgroup_uuid: group.uuid }, 23), 406);
  const shown = await expectReply(patch(`ports/${port.uuid}`, { portgroup_uuid: group.uuid }, 24), 200);
  assert.equal(shown['portgroup_uuid'], group.uuid);
  const old = await expectReply(session.request('GET', `/v1/ports/${port.uuid}`, { version: 23 }), 200);
  assert.equal('portgroup_uuid' in old, false);
});

test('the portgroup of a port must exist and belong to the same node', async () => {
  const group = await newPortgroup({ node_uuid: await newNode() });
  const port = await newPort({ node_uuid: node });
  for (const portgroup_uuid of [MISSING, group.uuid]) {
    const sentence = new RegExp(`portgroup_uuid.*${portgroup_uuid}`);
    assert.match(await expectFault(postPort({ node_uuid: node, portgroup_uuid }), 400), sentence);
    assert.match(await expectFault(patch(`ports/${port.uuid}`, { portgroup_uuid }), 400), sentence);
  }
  await expectFault(postPort({ node_uuid: node, portgroup_uuid: 'bond0' }), 400);
});

test('a port cannot move to another node without leaving its portgroup', async () => {
  const other = await newNode();
  const group = await newPortgroup({ node_uuid: node });
  const port = await newPort({ node_uuid: node, portgroup_uuid: group.uuid });
  await expectFault(patch(`ports/${port.uuid}`, { node_uuid: other }), 400);
  const moved = await expectReply<Port>(
    patch(`ports/${port.uuid}`, { node_uuid: other, portgroup_uuid: null }),
    200,
  );
  assert.deepEqual([moved.node_uuid, moved.portgroup_uuid], [other, null]);
});

test('a port cannot move to a node of another owner', async () => {
  const port = await newPort({ node_uuid: node });
  const foreign = await newNode({ owner: 'somebody' });
  assert.match(await expectFault(patch(`ports/${port.uuid}`, { node_uuid: foreign }), 400), /owner/);
});

test('a portgroup without standalone_ports_supported refuses ports with pxe_enabled', async () => {
  const group = await newPortgroup({ node_uuid: node, standalone_ports_supported: false });
  const inGroup = { node_uuid: node, portgroup_uuid: group.uuid };
  assert.match(await expectFault(postPort({ ...inGroup, pxe_enabled: true }), 409), /standalone/);
  await expectFault(postPort(inGroup), 409);
  const port = await newPort({ ...inGroup, pxe_enabled: false });
  await expectFault(patch(`ports/${port.uuid}`, { pxe_enabled: true }), 409);
  const alone = await newPort({ node_uuid: node });
  await expectFault(patch(`ports/${alone.uuid}`, { portgroup_uuid: group.uuid }), 409);
});

test('standalone_ports_supported of a portgroup cannot become false while a port in it has pxe_enabled', async () => {
  const group = await newPortgroup({ node_uuid: node });
  const port = await newPort({ node_uuid: node, portgroup_uuid: group.uuid });
  const change = { standalone_ports_supported: false };
  assert.match(await expectFault(patch(`portgroups/${group.uuid}`, change), 409), new RegExp(port.uuid));
  await expectReply(patch(`ports/${port.uuid}`, { pxe_enabled: false }), 200);
  await expectReply(patch(`portgroups/${group.uuid}`, change), 200);
});

test('all ports of a portgroup share the physical_network of the first', async () => {
  const group = await newPortgroup({ node_uuid: node });
  const inGroup = { node_uuid: node, portgroup_uuid: group.uuid };
  const first = await newPort({ ...inGroup, physical_network: 'a' });
  await newPort({ ...inGroup, physical_network: 'a' });
  assert.match(
    await expectFault(postPort({ ...inGroup, physical_network: 'b' }), 409),
    /network b, but portgroup .* has physical network a:/,
  );
  await expectFault(postPort({ ...inGroup, physical_network: null }), 409);
  assert.equal((await newPort(inGroup)).physical_network, 'a');
  assert.equal(services.db.portgroups.get(group.uuid)?.physical_network, 'a');
  await expectFault(patch(`ports/${first.uuid}`, { physical_network: 'b' }, 101), 409);
});

test('a port without physical_network takes that of its portgroup, and another value or an explicit null is refused', async () => {
  const group = await newPortgroup({ node_uuid: node, physical_network: 'a' });
  const inGroup = { node_uuid: node, portgroup_uuid: group.uuid };
  assert.equal((await newPort(inGroup)).physical_network, 'a');
  await expectFault(postPort({ ...inGroup, physical_network: 'b' }), 409);
  const without = await expectFault(postPort({ ...inGroup, physical_network: null }), 409);
  assert.match(without, /has no physical network, but portgroup .* has physical network a:/);
  const port = await newPort({ node_uuid: node });
  const joined = await expectReply<Port>(patch(`ports/${port.uuid}`, { portgroup_uuid: group.uuid }), 200);
  assert.equal(joined.physical_network, 'a');
});

test('a refused port does not set the physical_network of its portgroup', async () => {
  const group = await newPortgroup({ node_uuid: node });
  const { address } = await newPort({ node_uuid: node });
  const inGroup = { node_uuid: node, portgroup_uuid: group.uuid, physical_network: 'a' };
  await expectFault(session.request('POST', '/v1/ports', { body: { ...inGroup, address } }), 409);
  assert.equal(services.db.portgroups.get(group.uuid)?.physical_network, null);
});

test('the physical_network of a port in a portgroup changes only with that of the portgroup', async () => {
  const group = await newPortgroup({ node_uuid: node });
  const port = await newPort({ node_uuid: node, portgroup_uuid: group.uuid, physical_network: 'a' });
  const path = `ports/${port.uuid}`;
  assert.match(await expectFault(patch(path, { physical_network: 'b' }), 400), /change the portgroup's/);
  assert.match(
    await expectFault(patch(path, { physical_network: 'c' }, 101), 409),
    /network c, but portgroup .* has physical network a:/,
  );

  const changed = await expectReply(patch(`portgroups/${group.uuid}`, { physical_network: 'b' }), 200);
  assert.equal(changed['physical_network'], 'b');
  const member = services.db.ports.get(port.uuid);
  assert.equal(member?.physical_network, 'b');
  assert.notEqual(member?.updated_at, null);
  const left = await expectReply<Port>(patch(path, { portgroup_uuid: null, physical_network: 'd' }), 200);
  assert.equal(left.physical_network, 'd');
  const joined = patch(path, { portgroup_uuid: group.uuid, physical_network: 'b' });
  assert.equal((await expectReply<Port>(joined, 200)).physical_network, 'b');

  const remove = [{ op: 'remove', path: '/physical_network' }];
  await expectReply(session.request('PATCH', `/v1/portgroups/${group.uuid}`, { body: remove }), 200);
  assert.equal(services.db.ports.get(port.uuid)?.physical_network, null);
});

test('the portgroup of a port can change only in some provision states of its node, or in maintenance', async () => {
  const states = {
    enroll: 200,
    inspecting: 200,
    'inspect wait': 200,
    manageable: 200,
    available: 409,
    active: 409,
    cleaning: 409,
  } as const;
  const uuid = await newNode();
  const group = await newPortgroup({ node_uuid: uuid });
  const port = await newPort({ node_uuid: uuid });
  for (const [provision_state, expected] of Object.entries(states)) {
    services.db.nodes.update(uuid, { provision_state: provision_state as keyof typeof states });
    services.db.ports.update(port.uuid, { portgroup_uuid: null });
    const reply = await patch(`ports/${port.uuid}`, { portgroup_uuid: group.uuid }, 38);
    assert.equal(reply.status, expected, provision_state);
  }
  services.db.nodes.update(uuid, { maintenance: true });
  await expectReply(patch(`ports/${port.uuid}`, { portgroup_uuid: group.uuid }), 200);
});

test('physical_network of a portgroup with ports cannot change while the node is available', async () => {
  const uuid = await newNode({ provision_state: 'available' });
  const group = await newPortgroup({ node_uuid: uuid });
  await expectReply(patch(`portgroups/${group.uuid}`, { physical_network: 'a' }), 200);
  const port = await newPort({ node_uuid: uuid, portgroup_uuid: group.uuid });
  await expectFault(patch(`portgroups/${group.uuid}`, { physical_network: 'b' }), 409);
  assert.equal(services.db.ports.get(port.uuid)?.physical_network, 'a');
});

test('a portgroup with ports cannot be deleted or moved to another node', async () => {
  const other = await newNode();
  const group = await newPortgroup({ node_uuid: node });
  const port = await newPort({ node_uuid: node, portgroup_uuid: group.uuid });
  const path = `/v1/portgroups/${group.uuid}`;
  assert.match(await expectFault(session.request('DELETE', path), 400), /has ports/);
  assert.match(await expectFault(patch(`portgroups/${group.uuid}`, { node_uuid: other }), 400), /has ports/);
  await expectReply(session.request('DELETE', `/v1/ports/${port.uuid}`), 204);
  await expectFault(patch(`portgroups/${group.uuid}`, { node_uuid: MISSING }), 400);
  const moved = await expectReply(patch(`portgroups/${group.uuid}`, { node_uuid: other }), 200);
  assert.equal(moved['node_uuid'], other);
  await expectReply(session.request('DELETE', path), 204);
});

test('ports are listed for a portgroup by its UUID or name, in the path or in the filter portgroup', async () => {
  const group = await newPortgroup({ node_uuid: node, name: 'bond7' });
  const inside = [
    await newPort({ node_uuid: node, portgroup_uuid: group.uuid }),
    await newPort({ node_uuid: node, portgroup_uuid: group.uuid }),
  ].map(({ uuid }) => uuid);
  for (const ident of [group.uuid, 'bond7']) {
    for (const path of [`/v1/ports?portgroup=${ident}`, `/v1/ports/detail?portgroup=${ident}`]) {
      assert.deepEqual(await uuidsOf(path), inside);
    }
    assert.deepEqual(await uuidsOf(`/v1/portgroups/${ident}/ports`), inside);
    assert.deepEqual(
      await uuidsOf(`/v1/portgroups/${ident}/ports/detail?sort_dir=desc`),
      inside.toReversed(),
    );
  }
  await expectFault(session.request('GET', '/v1/ports?portgroup=bond7', { version: 23 }), 406);
  await expectFault(session.request('GET', '/v1/portgroups/bond7/ports', { version: 23 }), 404);
  await expectFault(session.request('GET', '/v1/portgroups/nothing/ports'), 404);
  await expectFault(session.request('GET', '/v1/ports?portgroup=nothing'), 404);
  const below = session.request('GET', `/v1/portgroups/bond7/ports/${inside[0]}`);
  assert.match(await expectFault(below, 400), /Malformed request URI.*\/v1\/ports\./);
});

test('a list of ports cannot combine the filters node, portgroup and shard', async () => {
  const { uuid } = await newPortgroup({ node_uuid: node });
  const pairs = [
    `node=${node}&portgroup=${uuid}`,
    `portgroup=${uuid}&shard=s1`,
    `node_uuid=${node}&shard=s1`,
  ];
  for (const pair of pairs) {
    assert.equal(
      await expectFault(session.request('GET', `/v1/ports?${pair}`), 403),
      'Operation not permitted.',
    );
  }
});

test('conductor_groups filters ports and cannot be combined with node, address or portgroup', async () => {
  const east = await newPort({ node_uuid: await newNode({ conductor_group: 'east' }) });
  const west = await newPort({ node_uuid: await newNode({ conductor_group: 'west' }) });
  assert.deepEqual(await uuidsOf('/v1/ports?conductor_groups=East'), [east.uuid]);
  assert.deepEqual(await uuidsOf('/v1/ports?conductor_groups=east,west'), [east.uuid, west.uuid]);
  await expectReply(session.request('GET', '/v1/ports?conductor_groups=east', { version: 1 }), 200);
  for (const other of [`node=${node}`, `address=${east.address}`, `portgroup=${MISSING}`]) {
    assert.match(
      await expectFault(session.request('GET', `/v1/ports?conductor_groups=east&${other}`), 400),
      /combined/,
    );
  }
});
