import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { pluginFolder, pluginManifest } from '../../../fakes/plugin-folder.ts';

const code = `import { definePower, fault } from '#plugin-api';
const work = (interval) => ({
  description: 'Counts its rounds on the node.',
  interval: interval ?? { section: 'counting', option: 'interval' },
  async run(task) {
    if (task.node.extra.fails) throw new Error('no luck');
    const rounds = Number(task.node.driver_internal_info.rounds ?? 0) + 1;
    await task.update({ driver_internal_info: { ...task.node.driver_internal_info, rounds } });
  },
});
const power = (interval) => definePower({
  properties: {}, validate() {}, supportedTargets: [], supportsPowerSync: false,
  getPowerState: async () => 'power on', setPowerState: async () => undefined,
  periodic: {
    count: work(interval),
    resting: {
      description: 'Ends the maintenance of nodes that waited for a repair.',
      interval: 100,
      nodes: { states: ['enroll', 'manageable'], maintenance: true, internalInfo: 'waits_for_repair' },
      async run(task) {
        const { waits_for_repair: _, ...rest } = task.node.driver_internal_info;
        await task.clearMaintenance();
        await task.addNote('It was repaired.');
        await task.update({ driver_internal_info: rest });
        await task.requestProvision('manage');
      },
    },
    judging: {
      description: 'Looks before it locks.',
      interval: 100,
      nodes: { states: ['available'] },
      async concerns({ node }) {
        if (node.extra.silent)
          throw fault('BmcFailure', { operation: 'Looking', node: node.uuid, address: '192.0.2.1', reason: 'no answer' });
        return node.extra.taken === true;
      },
      run: (task) => task.setMaintenance('taken'),
    },
    looking: {
      description: 'Looks at nodes even while they are locked.',
      interval: 100,
      nodes: { maintenance: 'any', internalInfo: 'looked_at' },
      locks: false,
      async run(task) {
        task.log.warn({ name: task.node.name }, 'looked at it');
      },
    },
  },
});
export const counting = power();
export const idle = power(0);
export const unused = power(1);
export const classic = { power: counting };
`;

const files = {
  'counting/plugin.json': pluginManifest('counting', {
    entryPoints: {
      'ironic.hardware.interfaces.power': {
        counting: './power.js:counting',
        idle: './power.js:idle',
        unused: './power.js:unused',
      },
      'ironic.drivers': { 'counting-classic': './power.js:classic' },
    },
    hardwareTypes: {
      'counting-hardware': { extends: 'fake-hardware', supported: { power: ['counting', 'idle'] } },
      'not-enabled': { extends: 'fake-hardware', supported: { power: ['unused'] } },
    },
    configuration: {
      counting: { type: 'object', properties: { interval: { type: 'integer', default: 100 } } },
    },
  }),
  'counting/power.js': code,
};

const start = (t: TestContext) =>
  startInProcess(t, {
    loops: true,
    ini: `enabled_hardware_types = counting-hardware
enabled_drivers = counting-classic
enabled_power_interfaces = counting,idle,unused
[plugins]
path = ${pluginFolder(t, files)}
[conductor]
sync_power_state_interval = 0
`,
  });

test('periodic work runs on every node that uses the interface', async (t) => {
  const daemon = await start(t);
  const created = await Promise.all(
    [
      { driver: 'counting-hardware' },
      { driver: 'counting-hardware', power_interface: 'idle' },
      { driver: 'counting-classic' },
      {
        driver: 'counting-hardware',
        power_interface: 'idle',
        instance_info: { power_interface: 'counting' },
      },
    ].map((fields) => daemon.createNode(fields)),
  );
  const rounds = () => created.map(({ uuid }) => daemon.node(uuid).driver_internal_info['rounds'] ?? 0);
  await daemon.clock.advance(99_000);
  assert.deepEqual(rounds(), [0, 0, 0, 0]);
  await daemon.clock.advance(1000);
  await daemon.idle();
  assert.deepEqual(rounds(), [1, 0, 1, 1]);
  await daemon.clock.advance(100_000);
  await daemon.idle();
  assert.deepEqual(rounds(), [2, 0, 2, 2]);
});

test('periodic work skips locked nodes and nodes in maintenance, and one failure affects no other node', async (t) => {
  const daemon = await start(t);
  const create = (fields: object) => daemon.createNode({ driver: 'counting-hardware', ...fields });
  const [failing, resting, locked, last] = [
    await create({ extra: { fails: true } }),
    await create({}),
    await create({}),
    await create({}),
  ];
  await daemon.request('PUT', `/v1/nodes/${resting.uuid}/maintenance`);
  const release = daemon.services.locks.tryAcquire(locked.uuid);
  await daemon.clock.advance(100_000);
  await daemon.idle();
  release?.();
  const rounds = (uuid: string) => daemon.node(uuid).driver_internal_info['rounds'];
  assert.deepEqual(
    [failing, resting, locked, last].map(({ uuid }) => rounds(uuid)),
    [undefined, undefined, undefined, 1],
  );
  assert.equal(daemon.node(failing.uuid).last_error, null);
  assert.match(
    daemon.log(),
    /"periodic":"count of power counting".*no luck.*periodic work on the node failed/,
  );
});

test('interfaces without an enabled hardware type are not loaded', async (t) => {
  const { services } = await start(t);
  assert.equal(services.registry.interfaces.has('power:counting'), true);
  assert.equal(services.registry.interfaces.has('power:unused'), false);
});

const historyOf = (daemon: Awaited<ReturnType<typeof start>>, uuid: string) =>
  daemon.request('GET', `/v1/nodes/${uuid}/history?detail=true`).then(({ text }) => text);

test('periodic work chooses nodes by state, maintenance and driver_internal_info, and can act like an operator', async (t) => {
  const daemon = await start(t);
  const marked = { driver_internal_info: { waits_for_repair: true }, maintenance: true };
  const create = async (stored: object) => {
    const { uuid } = await daemon.createNode({ driver: 'counting-hardware' });
    daemon.services.db.nodes.update(uuid, stored);
    return uuid;
  };
  const chosen = await create(marked);
  const others = [
    await create({ ...marked, maintenance: false }),
    await create({ ...marked, driver_internal_info: {} }),
    await create({ ...marked, provision_state: 'available' }),
  ];
  await daemon.clock.advance(100_000);
  await daemon.idle();
  const node = daemon.node(chosen);
  assert.deepEqual(
    [node.maintenance, node.driver_internal_info['waits_for_repair'], node.provision_state],
    [false, undefined, 'manageable'],
  );
  const history = await historyOf(daemon, chosen);
  for (const event of ['It was repaired.', 'Maintenance ends.']) assert.ok(history.includes(event), event);
  for (const uuid of others)
    assert.equal('waits_for_repair' in daemon.node(uuid).driver_internal_info, uuid !== others[1]);
});

test('work that takes no lock also sees locked nodes', async (t) => {
  const daemon = await start(t);
  const { uuid } = await daemon.createNode({ driver: 'counting-hardware', name: 'busy-one' });
  daemon.services.db.nodes.update(uuid, { driver_internal_info: { looked_at: 1 } });
  const release = daemon.services.locks.tryAcquire(uuid);
  await daemon.clock.advance(100_000);
  await daemon.idle();
  release?.();
  assert.match(daemon.log(), /"name":"busy-one".*looked at it/);
});

test('periodic work runs only on nodes that its check accepts; a failure of a shared BMC is logged once', async (t) => {
  const daemon = await start(t);
  const extras = [{ taken: true }, {}, { silent: true }, { silent: true }];
  const nodes: string[] = [];
  for (const extra of extras) {
    const { uuid } = await daemon.createNode({ driver: 'counting-hardware', power_interface: 'idle', extra });
    daemon.services.db.nodes.update(uuid, { provision_state: 'available' });
    nodes.push(uuid);
  }
  await daemon.clock.advance(100_000);
  await daemon.idle();
  assert.deepEqual(
    nodes.map((uuid) => daemon.node(uuid).maintenance_reason),
    ['taken', null, null, null],
  );
  assert.equal(daemon.log().split('no answer').length - 1, 1);
});
