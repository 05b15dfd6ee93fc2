// VIFs of nodes with network interface `flat`, through the API.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ending, startInProcess } from '../fakes/daemon/in-process-daemon.ts';

const MAC = '52:54:00:00:00:0';

async function site(t: Ending) {
  const daemon = await startInProcess(t, { ini: 'enabled_hardware_types = fake-hardware\n' });
  const { uuid } = await daemon.createNode({ driver: 'fake-hardware', network_interface: 'flat' });
  const path = `/v1/nodes/${uuid}/vifs`;
  const vifs = async () => {
    const { body } = await daemon.request('GET', path);
    return (body['vifs'] as { readonly id: string }[]).map(({ id }) => id);
  };
  const attach = async (id: string, more: object = {}) => {
    const { status, text } = await daemon.request('POST', path, { body: { id, ...more } });
    return `${status} ${text}`;
  };
  const detach = async (id: string) => (await daemon.request('DELETE', `${path}/${id}`)).status;
  const vifOf = async (port: string) => {
    const { body } = await daemon.request('GET', `/v1/ports/${port}`);
    return (body['internal_info'] as { readonly tenant_vif_port_id?: string }).tenant_vif_port_id;
  };
  return { daemon, node: uuid, vifs, attach, detach, vifOf };
}

test('a VIF gets a port with pxe_enabled if one is free, and detaching a VIF frees its port', async (t) => {
  const { daemon, node, vifs, attach, detach, vifOf } = await site(t);
  assert.match(await attach('lan'), /^400 .*no port or port group is free/);
  const { uuid: plain } = await daemon.createPort(node, `${MAC}1`, { pxe_enabled: false });
  const { uuid: booting } = await daemon.createPort(node, `${MAC}2`);
  assert.equal(await attach('lan'), '204 ');
  assert.equal(await vifOf(booting), 'lan');
  assert.match(await attach('lan'), /^409 .*already attached/);
  assert.equal(await attach('backup'), '204 ');
  assert.equal(await vifOf(plain), 'backup');
  assert.deepEqual((await vifs()).toSorted(), ['backup', 'lan']);
  assert.match(await attach('third'), /^400 /);
  assert.equal(await detach('lan'), 204);
  assert.equal(await detach('lan'), 400);
  assert.equal(await attach('third', { port_uuid: booting }), '204 ');
  assert.deepEqual((await vifs()).toSorted(), ['backup', 'third']);
});

test('a VIF for a port that is taken is refused, even if another port is free', async (t) => {
  const { daemon, node, attach } = await site(t);
  const { uuid } = await daemon.createPort(node, `${MAC}1`);
  await daemon.createPort(node, `${MAC}2`);
  assert.equal(await attach('one', { port_uuid: uuid }), '204 ');
  assert.match(await attach('two', { port_uuid: uuid }), /^400 .*that the request allows/);
});

test('a VIF is attached to a port group rather than to a port in the group', async (t) => {
  const { daemon, node, attach, vifs } = await site(t);
  const group = await daemon.request('POST', '/v1/portgroups', { body: { node_uuid: node } });
  const { uuid } = group.body as { readonly uuid: string };
  await daemon.createPort(node, `${MAC}1`, { portgroup_uuid: uuid });
  assert.equal(await attach('bond'), '204 ');
  assert.equal(daemon.services.db.portgroups.get(uuid)?.internal_info['tenant_vif_port_id'], 'bond');
  assert.deepEqual(await vifs(), ['bond']);
});

test('a port with a VIF can be deleted only while its node is in maintenance', async (t) => {
  const { daemon, node, attach } = await site(t);
  const { uuid } = await daemon.createPort(node, `${MAC}1`);
  await attach('lan');
  const remove = async () => (await daemon.request('DELETE', `/v1/ports/${uuid}`)).status;
  assert.equal(await remove(), 409);
  daemon.services.db.nodes.update(node, { maintenance: true });
  assert.equal(await remove(), 204);
});

test('the VIFs of an instance are detached when it is undeployed', async (t) => {
  const { daemon, node, attach, vifs } = await site(t);
  await daemon.createPort(node, `${MAC}1`);
  await attach('lan');
  daemon.services.db.nodes.update(node, { provision_state: 'active', automated_clean: false });
  const { status } = await daemon.request('PUT', `/v1/nodes/${node}/states/provision`, {
    body: { target: 'deleted' },
  });
  assert.equal(status, 202);
  await daemon.idle();
  assert.equal(daemon.node(node).provision_state, 'available');
  assert.deepEqual(await vifs(), []);
});
