import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { test } from 'node:test';
import { LAB_PLUGINS, startInProcess } from '../fakes/daemon/in-process-daemon.ts';
import { misdeeds } from './misdeeds.ts';

const MAC = '52:54:00:00:00:01';
const ini = '[inspector]\nhooks = lab,lab-after\n';
type Test = Parameters<typeof startInProcess>[0];

async function inspected(t: Test, configuration = ini) {
  const daemon = await startInProcess(t, { ini: configuration });
  const { uuid } = await daemon.createNode({ driver: 'lab', extra: { own: 1 } });
  await daemon.createPort(uuid, MAC);
  return {
    daemon,
    uuid,
    /** Posts a report whose `lab` key selects the hook's action; resolves when the report is accepted. */
    post: async (
      lab: string,
      inventory: object = { interfaces: [{ mac_address: MAC }], cpu: { count: 4 } },
    ) => {
      daemon.services.db.nodes.update(uuid, { provision_state: 'inspect wait', power_state: 'power on' });
      const body = { inventory, lab, nested: {} };
      const answer = await daemon.request('POST', '/v1/continue_inspection', { version: null, body });
      assert.equal(answer.status, 202, answer.text);
    },
  };
}

test('the results of hooks are stored together, and their warnings are logged', async (t) => {
  const { daemon, uuid, post } = await inspected(t);
  await post('store');
  await daemon.idle();
  const node = daemon.node(uuid);
  assert.equal(node.provision_state, 'manageable', node.last_error ?? '');
  assert.deepEqual(node.extra, { own: 1, lab: { seen: true } });
  assert.equal(node.properties['memory_mb'], 4096);
  const { body } = await daemon.request('GET', `/v1/nodes/${uuid}/ports/detail`);
  assert.deepEqual(
    body.ports.map((port) => port['address']),
    [MAC, '52:54:00:aa:bb:cc'],
  );
  const inventory = await daemon.request('GET', `/v1/nodes/${uuid}/inventory`);
  assert.deepEqual(inventory.body['plugin_data'], { lab: 'store', nested: {}, after: true });
  assert.match(daemon.log(), /stored by the lab/);
});

test('a faulty hook fails the inspection with a reason and stores nothing', async (t) => {
  const { daemon, uuid, post } = await inspected(t);
  for (const [lab, reason] of Object.entries({ ...misdeeds, exit: /worker exited with code: 3/ })) {
    await post(lab);
    await daemon.idle();
    const { provision_state, last_error, extra, properties } = daemon.node(uuid);
    assert.equal(provision_state, 'inspect failed', lab);
    assert.match(last_error ?? '', reason, lab);
    assert.deepEqual([extra, properties], [{ own: 1 }, {}], lab);
    const { body } = await daemon.request('GET', `/v1/nodes/${uuid}/ports`);
    assert.equal(body.ports.length, 1, lab);
  }
  assert.equal((await daemon.request('GET', `/v1/nodes/${uuid}/inventory`)).status, 404);
});

test('a hook may change traits and fields that PATCH may change; secrets that it sees masked are kept', async (t) => {
  const { daemon, uuid, post } = await inspected(t);
  const [first, second] = [
    { of: 'first', token: 'abc' },
    { of: 'second', token: 'def' },
  ];
  const driver_info = { ipmi_address: '192.0.2.1', ipmi_password: 'hunter2', nested: [first, second] };
  daemon.services.db.nodes.update(uuid, {
    driver_info,
    owner: 'someone',
    properties: { nested: { depth: 1 } },
    traits: ['CUSTOM_B'],
  });
  await post('rename');
  await daemon.idle();
  const node = daemon.node(uuid);
  assert.equal(node.last_error, null);
  assert.deepEqual(
    [node.name, node.resource_class, node.description, node.owner, node.properties],
    ['rack-7', 'baremetal.large', 'of the lab', null, { nested: { depth: 2 } }],
  );
  assert.deepEqual(node.driver_info, { ...driver_info, ipmi_address: '192.0.2.9', nested: [second] });
  assert.deepEqual(node.traits, ['CUSTOM_A', 'CUSTOM_B', 'CUSTOM_LAB']);
});

test('a hook that never ends keeps other machines waiting for five seconds at most, and is stopped when it has computed for ten', async (t) => {
  const { daemon, uuid, post } = await inspected(t, `${ini}hook_workers = 1\n`);
  const second = await daemon.createNode({ driver: 'lab' });
  const address = '52:54:00:00:00:02';
  await daemon.createPort(second.uuid, address);
  daemon.services.db.nodes.update(second.uuid, { provision_state: 'inspect wait', power_state: 'power on' });
  const body = { inventory: { interfaces: [{ mac_address: address }] }, lab: 'store' };
  await Promise.all([
    post('endless'),
    daemon.request('POST', '/v1/continue_inspection', { version: null, body }),
  ]);
  const stateOf = (node: string) => daemon.node(node).provision_state;
  while (stateOf(second.uuid) === 'inspecting') {
    await daemon.clock.advance(1000);
    await setTimeout(10);
  }
  assert.deepEqual([uuid, second.uuid].map(stateOf), ['inspecting', 'manageable']);
  // the limit does not depend on the clock, which runs ahead here
  while (stateOf(uuid) === 'inspecting') {
    await daemon.clock.advance(1000);
    await setTimeout(10);
  }
  await daemon.idle();
  assert.equal(stateOf(uuid), 'inspect failed');
  assert.match(daemon.node(uuid).last_error ?? '', /have computed for 10 s without coming to an end/);
  await post('store');
  await daemon.idle();
  assert.equal(stateOf(uuid), 'manageable');
});

test('a hook worker that dies after its answer does not affect the daemon', async (t) => {
  const { daemon, uuid, post } = await inspected(t);
  await post('late');
  await daemon.idle();
  const deadline = Date.now() + 10_000;
  while (!daemon.log().includes('after the answer') && Date.now() < deadline) {
    await setTimeout(10);
  }
  assert.match(daemon.log(), /a hook worker ended unexpectedly/);
  await post('store');
  await daemon.idle();
  assert.equal(daemon.node(uuid).provision_state, 'manageable');
});

test('a hook from a plugin folder replaces a built-in hook', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'ironic-edge-plugins-'));
  t.after(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, 'acme'));
  const entryPoints = { 'ironic.inspection.hooks': { 'acme-ports': './ports.js:ports' } };
  const manifest = { name: 'acme', version: '1.0.0', pluginApi: '^1.0', summary: 'Acme', entryPoints };
  writeFileSync(join(directory, 'acme/plugin.json'), JSON.stringify(manifest));
  writeFileSync(
    join(directory, 'acme/ports.js'),
    `import { defineHook, parseMac } from '#plugin-api';
    export const ports = defineHook({
      replaces: 'ports',
      call(draft) {
        draft.node.extra.ports = draft.inventory.interfaces.map(({ mac_address }) => parseMac(mac_address));
      },
    });`,
  );
  const { daemon, uuid, post } = await inspected(
    t,
    `[plugins]\npath = ${LAB_PLUGINS},${directory}\n[inspector]\nhooks = validate-interfaces,acme-ports,architecture\n`,
  );
  await post('none', { interfaces: [{ name: 'e', mac_address: MAC }], cpu: { architecture: 'x86_64' } });
  await daemon.idle();
  const { provision_state, extra, properties } = daemon.node(uuid);
  assert.deepEqual(
    [provision_state, extra, properties],
    ['manageable', { own: 1, ports: [MAC] }, { cpu_arch: 'x86_64' }],
  );
});

test("a hook's warnings are limited to a hundred log lines", async (t) => {
  const { daemon, uuid, post } = await inspected(t);
  await post('warn');
  await daemon.idle();
  assert.equal(daemon.node(uuid).provision_state, 'manageable');
  assert.equal(daemon.log().match(/a warning of the lab/g)?.length, 100);
  assert.match(daemon.log(), /"message":"900 more lines of hooks and rules are not logged"/);
});

test('a hook cannot take a port from another node', async (t) => {
  const { daemon, uuid, post } = await inspected(t);
  const other = await daemon.createNode();
  await daemon.createPort(other.uuid, '52:54:00:aa:bb:cc');
  await post('store');
  await daemon.idle();
  assert.equal(daemon.node(uuid).provision_state, 'manageable');
  assert.equal((await daemon.request('GET', `/v1/nodes/${other.uuid}/ports`)).body.ports.length, 1);
});
