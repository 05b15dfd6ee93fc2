// A hook of a vendor's plugin runs in a process of that plugin, a built-in hook in a thread. One report can pass through both.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { LAB_PLUGINS, startInProcess } from '../fakes/daemon/in-process-daemon.ts';
import { pluginFolder, pluginManifest } from '../fakes/plugin-folder.ts';
import { misdeeds } from './misdeeds.ts';

const MAC = '52:54:00:00:00:01';
const HOOKS = 'validate-interfaces,lab,architecture,lab-after';

async function inspected(t: TestContext, hooks = HOOKS, path = LAB_PLUGINS) {
  const daemon = await startInProcess(t, {
    ini: `[plugins]\npath = ${path}\nmemory_limit = 64\n[inspector]\nhooks = ${hooks}\n`,
    pluginsApart: true,
  });
  const { uuid } = await daemon.createNode({ driver: 'fake-hardware', extra: { own: 1 } });
  await daemon.createPort(uuid, MAC);
  daemon.services.db.nodes.update(uuid, { inspect_interface: 'agent' });
  const report = async (lab: string) => {
    daemon.services.db.nodes.update(uuid, { provision_state: 'inspect wait', power_state: 'power on' });
    const inventory = { interfaces: [{ name: 'e', mac_address: MAC }], cpu: { architecture: 'x86_64' } };
    const body = { inventory, lab, nested: {} };
    const { status, text } = await daemon.request('POST', '/v1/continue_inspection', { version: null, body });
    assert.equal(status, 202, text);
  };
  return {
    daemon,
    uuid,
    report,
    /** Returns the node after the hooks have run on a report whose `lab` key says what the hook `lab` or `harm` does. */
    nodeAfter: async (lab: string) => {
      await report(lab);
      await daemon.idle();
      return daemon.node(uuid);
    },
  };
}

test('the results of hooks in processes and in threads are stored together', async (t) => {
  const { daemon, uuid, nodeAfter } = await inspected(t);
  const node = await nodeAfter('store');
  assert.equal(node.provision_state, 'manageable', node.last_error ?? '');
  assert.deepEqual(node.extra, { own: 1, lab: { seen: true } });
  assert.deepEqual(node.properties, { cpu_arch: 'x86_64', memory_mb: 4096 });
  const { body } = await daemon.request('GET', `/v1/nodes/${uuid}/inventory`);
  assert.partialDeepStrictEqual(body['plugin_data'], { lab: 'store', nested: {}, after: true });
  assert.match(daemon.log(), /stored by the lab/);
});

test('a hook in a process changes traits and fields that PATCH may change; secrets that it sees masked are kept', async (t) => {
  const { daemon, uuid, nodeAfter } = await inspected(t);
  const [first, second] = [
    { of: 'first', token: 'abc' },
    { of: 'second', token: 'def' },
  ];
  const driver_info = { ipmi_address: '192.0.2.1', ipmi_password: 'hunter2', nested: [first, second] };
  const properties = { nested: { depth: 1 } };
  daemon.services.db.nodes.update(uuid, { driver_info, properties, traits: ['CUSTOM_B'], owner: 'someone' });
  const node = await nodeAfter('rename');
  assert.equal(node.last_error, null);
  assert.deepEqual(
    [node.name, node.owner, node.traits],
    ['rack-7', null, ['CUSTOM_A', 'CUSTOM_B', 'CUSTOM_LAB']],
  );
  assert.deepEqual(node.driver_info, { ...driver_info, ipmi_address: '192.0.2.9', nested: [second] });
});

test('a faulty hook in a process fails the inspection with the same sentence as in a thread, and stores nothing', async (t) => {
  const { daemon, uuid, nodeAfter } = await inspected(t);
  for (const [lab, reason] of Object.entries(misdeeds)) {
    const { provision_state, last_error, extra, properties } = await nodeAfter(lab);
    assert.equal(provision_state, 'inspect failed', lab);
    assert.match(last_error ?? '', reason, lab);
    assert.deepEqual([extra, properties], [{ own: 1 }, {}], lab);
  }
  assert.equal((await daemon.request('GET', `/v1/nodes/${uuid}/inventory`)).status, 404);
});

test('a hook that ends its process fails the inspection, and the next report is processed at once', async (t) => {
  const { uuid, nodeAfter } = await inspected(t);
  const failed = await nodeAfter('exit');
  assert.match(
    failed.last_error ?? '',
    new RegExp(
      `lab: the hook of plugin lab failed in call on node ${uuid}: its process ended with exit code 3, as after process\\.exit\\(3\\)`,
    ),
  );
  assert.equal((await nodeAfter('store')).provision_state, 'manageable');
});

const code = `import { defineHook } from '#plugin-api';
const told = (phase) => (draft) => { draft.node.extra[phase] = process.pid; };
const kept = [];
const deeds = {
  compute() { const { user } = process.cpuUsage(); while (process.cpuUsage().user - user < 300_000); },
  crash: () => process.abort(),
  hoard() { for (;;) kept.push(Array.from({ length: 100_000 }, String)); },
  loop() { console.log('it loops'); for (;;); },
};
export const where = defineHook({ preprocess: told('preprocess'), call: told('call') });
export const harm = defineHook({ call: ({ pluginData }) => void deeds[pluginData.lab]?.() });
`;

async function harmed(t: TestContext) {
  const hooks = { where: './h.js:where', harm: './h.js:harm' };
  const path = pluginFolder(t, {
    'acme/plugin.json': pluginManifest('acme', { entryPoints: { 'ironic.inspection.hooks': hooks } }),
    'acme/h.js': code,
  });
  return inspected(t, 'where,harm', `${LAB_PLUGINS},${path}`);
}

test('a hook runs in a process of its plugin: when it crashes or uses too much memory, only that process ends', async (t) => {
  const { nodeAfter } = await harmed(t);
  const { extra, last_error } = await nodeAfter('');
  assert.equal(last_error, null);
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').map(Number);
  assert.equal(extra['preprocess'], extra['call']);
  assert.ok(children.includes(Number(extra['call'])), children.join());
  assert.match((await nodeAfter('crash')).last_error ?? '', /harm: .*its process crashed with SIGABRT/);
  assert.match((await nodeAfter('hoard')).last_error ?? '', /harm: .*it used more than 64 MiB of memory/);
});

test('the reports of twenty machines are processed at the same time, although each takes a second and a half', async (t) => {
  const path = pluginFolder(t, {
    'acme/plugin.json': pluginManifest('acme', {
      entryPoints: { 'ironic.inspection.hooks': { slow: './h.js:slow' } },
    }),
    'acme/h.js': `import { defineHook } from '#plugin-api';
export const slow = defineHook({ call({ node }) { const end = Date.now() + 1500; while (Date.now() < end); node.extra.pid = process.pid; } });`,
  });
  const daemon = await startInProcess(t, {
    ini: `[plugins]\npath = ${LAB_PLUGINS},${path}\n[inspector]\nhooks = validate-interfaces,slow\nhook_workers = 15\n`,
    pluginsApart: true,
  });
  const nodes: string[] = [];
  for (let machine = 10; machine < 30; machine += 1) {
    const { uuid } = await daemon.createNode({ driver: 'fake-hardware' });
    await daemon.createPort(uuid, `52:54:00:00:00:${machine}`);
    daemon.services.db.nodes.update(uuid, { inspect_interface: 'agent', provision_state: 'inspect wait' });
    nodes.push(uuid);
  }
  const begun = performance.now();
  await Promise.all(
    nodes.map(async (_, index) => {
      const inventory = { interfaces: [{ name: 'e', mac_address: `52:54:00:00:00:${index + 10}` }] };
      const body = { inventory };
      const { status } = await daemon.request('POST', '/v1/continue_inspection', { version: null, body });
      assert.equal(status, 202);
    }),
  );
  await daemon.idle();
  t.diagnostic(`20 reports took ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  const ended = nodes.map((uuid) => daemon.node(uuid));
  assert.deepEqual(
    ended
      .filter(({ provision_state }) => provision_state !== 'manageable')
      .map(({ last_error }) => last_error),
    [],
  );
  assert.ok(new Set(ended.map(({ extra }) => extra['pid'])).size > 5, 'they shared few processes');
});

test('a hook that hardly gets the processor is not ended, however long it takes', async (t) => {
  const { daemon, uuid, report } = await harmed(t);
  await report('compute');
  while (daemon.node(uuid).provision_state === 'inspecting') {
    // the clock runs ahead: an hour passes while the hook computes for less than a second
    await daemon.clock.advance(60_000);
    await setTimeout(10);
  }
  await daemon.idle();
  assert.deepEqual([daemon.node(uuid).provision_state, daemon.node(uuid).last_error], ['manageable', null]);
});

test('an inspection fails while one of its hooks is not loaded, and says why', async (t) => {
  const path = pluginFolder(t, {
    'acme/plugin.json': pluginManifest('acme', {
      entryPoints: { 'ironic.inspection.hooks': { acme: './h.js:acme' } },
    }),
    'acme/h.js': 'throw new Error("a slip");',
  });
  const { nodeAfter } = await inspected(t, 'validate-interfaces,acme', `${LAB_PLUGINS},${path}`);
  const { provision_state, last_error } = await nodeAfter('');
  assert.equal(provision_state, 'inspect failed');
  assert.match(
    last_error ?? '',
    /acme: the hook is not loaded, so nothing .* Set aside: .*acme\/h\.js:1:7: a slip/,
  );
});

test('a hook that never ends is stopped with its process, and the API answers meanwhile', async (t) => {
  const { daemon, uuid, report } = await harmed(t);
  await report('loop');
  while (!daemon.log().includes('it loops')) await setImmediate();
  assert.equal((await daemon.request('GET', '/v1/nodes')).status, 200);
  while (daemon.node(uuid).provision_state === 'inspecting') {
    await daemon.clock.advance(1000);
    await setTimeout(100);
  }
  await daemon.idle();
  assert.match(
    daemon.node(uuid).last_error ?? '',
    /harm: .* failed in call on node .*: it has computed for 10 s without a pause/,
  );
});
