// Deployments of instances on a volume: what is refused, and what undeploying leaves.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { startInProcess } from '../../../../fakes/daemon/in-process-daemon.ts';

const INI = `[DEFAULT]
enabled_boot_interfaces = ipxe,pxe,fake
enabled_deploy_interfaces = direct,fake
enabled_storage_interfaces = noop,external
[conductor]
deploy_kernel = http://192.0.2.1/kernel
deploy_ramdisk = http://192.0.2.1/ramdisk
`;

async function site(t: TestContext) {
  const daemon = await startInProcess(t, { ini: INI });
  daemon.services.networkBoots.serveFrom('http://192.0.2.1:8080');
  const { uuid } = await daemon.createNode({
    boot_interface: 'ipxe',
    deploy_interface: 'direct',
    storage_interface: 'external',
    automated_clean: false,
  });
  const { db } = daemon.services;
  db.nodes.update(uuid, { provision_state: 'available', power_state: 'power off' });
  const add = (kind: 'connectors' | 'targets', body: object) =>
    daemon.request('POST', `/v1/volume/${kind}`, { body: { node_uuid: uuid, ...body } });
  const properties = {
    target_portal: '192.0.2.5',
    target_iqn: 'iqn.2026-01.example.storage:disk',
    target_lun: 1,
    auth_username: 'machine',
    auth_password: 'a secret',
  };
  await add('targets', { volume_type: 'iscsi', volume_id: 'disk', boot_index: 0, properties });
  return {
    daemon,
    uuid,
    connect: () => add('connectors', { type: 'iqn', connector_id: 'iqn.2026-01.example:node-1' }),
    provision: (body: object) => daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, { body }),
  };
}

test('a volume without a connector, and steps of the agent, are refused with the reason and without the secret', async (t) => {
  const { daemon, uuid, connect, provision } = await site(t);
  const unconnected = await provision({ target: 'active' });
  assert.equal(unconnected.status, 400);
  assert.match(unconnected.fault, /none has type iqn/);
  const validation = await daemon.request('GET', `/v1/nodes/${uuid}/validate`);
  assert.match(validation.text, /"storage":\{"result":false,"reason":"[^"]*none has type iqn/);
  await connect();
  const step = { interface: 'raid', step: 'apply_by_agent', priority: 90, args: {} };
  const withStep = await provision({ target: 'active', deploy_steps: [step] });
  assert.equal(withStep.status, 400);
  assert.match(withStep.fault, /raid\.apply_by_agent is no step of the node's driver, and no ramdisk/);
  assert.equal(daemon.services.db.nodes.get(uuid)?.provision_state, 'available');
  for (const text of [daemon.log(), validation.text, unconnected.text]) assert.ok(!text.includes('a secret'));
});

test('the machine boots its volume until it is undeployed, which removes the target and keeps the connector', async (t) => {
  const { daemon, uuid, connect, provision } = await site(t);
  const { db, networkBoots } = daemon.services;
  await connect();
  const reached = (state: string) =>
    new Promise<void>((resolve) => {
      daemon.services.transitions.stored.add((node) => {
        if (node.provision_state === state) resolve();
      });
    });
  const active = reached('active');
  assert.equal((await provision({ target: 'active' })).status, 202);
  await active;
  const boot = networkBoots.of(uuid);
  assert.deepEqual(boot && 'volume' in boot && boot.volume.login, {
    username: 'machine',
    password: 'a secret',
  });
  const shown = await daemon.request('GET', '/v1/volume/targets?detail=true');
  assert.match(shown.text, /"auth_password":"\*+"/);
  const available = reached('available');
  assert.equal((await provision({ target: 'deleted' })).status, 202);
  await available;
  assert.equal(networkBoots.of(uuid), undefined);
  const left = await daemon.request('GET', `/v1/nodes/${uuid}/volume/targets`);
  assert.match(left.text, /"targets":\[\]/);
  const kept = await daemon.request('GET', `/v1/nodes/${uuid}/volume/connectors`);
  assert.match(kept.text, /iqn\.2026-01\.example:node-1/);
  assert.ok(!daemon.log().includes('a secret'));
  assert.equal(db.nodes.get(uuid)?.last_error, null);
});
