import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { ABLE_PLUGINS } from '../../../fakes/daemon/able-session.ts';
import { type InProcessDaemon, startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const start = (t: TestContext, more = '', stateDirectory?: string) =>
  startInProcess(t, {
    loops: true,
    ...(stateDirectory !== undefined && { stateDirectory }),
    ini: `enabled_hardware_types = fake-hardware,able-hardware
[plugins]
path = ${ABLE_PLUGINS}
[sensor_data]
${more}
`,
  });

const active = async (daemon: InProcessDaemon, fields: object = {}) => {
  const { uuid } = await daemon.createNode({ driver: 'able-hardware', ...fields });
  daemon.services.db.nodes.update(uuid, { provision_state: 'active' });
  return uuid;
};
const round = async (daemon: InProcessDaemon) => {
  await daemon.clock.advance(600_000);
  await daemon.idle();
};
const metrics = async ({ app }: InProcessDaemon) => {
  const text = await (await app.fetch(new Request('http://ironic.test/metrics/nodes'))).text();
  return text.split('\n').filter((line) => line.startsWith('ironic_edge_node_sensor_'));
};
const sensorEvents = ({ services }: InProcessDaemon) =>
  services.db.events.after(0, 100, { type: 'hardware.' });

test('readings become metrics of the node and an event that replaces the previous event', async (t) => {
  const daemon = await start(t, 'send_sensor_data = true');
  const uuid = await active(daemon, { name: 'rack1-01' });
  await round(daemon);
  const labels = '{node="rack1-01",type="Temperature",sensor="Inlet@1"}';
  assert.deepEqual(await metrics(daemon), [
    `ironic_edge_node_sensor_celsius${labels} 20`,
    `ironic_edge_node_sensor_health${labels} 1`,
  ]);
  const [first] = sensorEvents(daemon);
  assert.deepEqual([first?.event_type, first?.node_uuid], ['hardware.able-hardware.metrics', uuid]);
  daemon.services.db.nodes.update(uuid, { driver_internal_info: { warmth: 5 } });
  await round(daemon);
  const [second, ...others] = sensorEvents(daemon);
  assert.deepEqual(others, []);
  assert.ok((second?.id ?? 0) > (first?.id ?? 0));
  const { payload } = JSON.parse(second?.body ?? '') as { payload: Record<string, unknown> };
  assert.deepEqual(
    [payload['node_name'], payload['event_type'], payload['payload']],
    [
      'rack1-01',
      'hardware.able-hardware.metrics.update',
      { Temperature: { 'Inlet@1': { reading_celsius: 25, health: 'Warning' } }, Fan: { Fan1: {} } },
    ],
  );
});

test("a reading replaces the node's event from an earlier run of the daemon, and no event of another node", async (t) => {
  const daemon = await start(t, 'send_sensor_data = true');
  const [one, other] = [await active(daemon), await active(daemon)];
  await round(daemon);
  daemon.services.db.nodes.update(other, { maintenance: true });
  await daemon.stop();
  const restarted = await start(t, 'send_sensor_data = true', daemon.stateDirectory);
  const before = sensorEvents(restarted);
  assert.deepEqual(new Set(before.map(({ node_uuid }) => node_uuid)), new Set([one, other]));
  await round(restarted);
  const [kept, newest, ...more] = sensorEvents(restarted);
  assert.deepEqual([kept?.node_uuid, newest?.node_uuid, more], [other, one, []]);
  assert.ok(before.every(({ id }) => id < (newest?.id ?? 0)));
});

test('nothing is read unless send_sensor_data is set', async (t) => {
  const daemon = await start(t);
  await active(daemon);
  await round(daemon);
  assert.deepEqual([await metrics(daemon), sensorEvents(daemon)], [[], []]);
});

test('nodes in maintenance are left alone, and undeployed nodes unless enable_for_undeployed_nodes is set', async (t) => {
  for (const [option, read] of [
    ['false', 1],
    ['true', 2],
  ] as const) {
    const daemon = await start(t, `send_sensor_data = true\nenable_for_undeployed_nodes = ${option}`);
    await active(daemon);
    await daemon.createNode({ driver: 'able-hardware' });
    const resting = await active(daemon);
    daemon.services.db.nodes.update(resting, { maintenance: true });
    await active(daemon, { driver: 'fake-hardware' });
    await round(daemon);
    assert.equal([...daemon.services.sensors.all].length, read);
  }
});

test('data_types chooses the sensor types that are kept; upper and lower case do not matter', async (t) => {
  const daemon = await start(t, 'send_sensor_data = true\ndata_types = fan');
  await active(daemon);
  await round(daemon);
  const [readings] = daemon.services.sensors.all;
  assert.deepEqual(
    readings?.sensors.map(({ type }) => type),
    ['Fan'],
  );
});

test('the readings of a deleted node and of a machine whose sensors can no longer be read are forgotten', async (t) => {
  const daemon = await start(t, 'send_sensor_data = true');
  const failing = await active(daemon);
  const deleted = await active(daemon);
  await round(daemon);
  assert.equal([...daemon.services.sensors.all].length, 2);
  daemon.services.db.nodes.update(failing, { driver_info: { failing: 'readSensors' } });
  daemon.services.db.nodes.remove(deleted);
  await round(daemon);
  assert.deepEqual([...daemon.services.sensors.all], []);
  assert.match(daemon.log(), /the sensors of the machine could not be read/);
});

test('a round that takes too long is cut off, and the next begins with the nodes that were left out', async (t) => {
  const daemon = await start(t, 'send_sensor_data = true\nwait_timeout = 1\nworkers = 1');
  const uuids = [await active(daemon), await active(daemon), await active(daemon)];
  const read: string[] = [];
  let seconds = 0;
  // each reading takes two seconds on the clock that deadlines are measured with
  const monotonic = daemon.services.clock.monotonic.bind(daemon.services.clock);
  daemon.services.clock.monotonic = () => monotonic() + seconds * 1000;
  daemon.services.sensors.watchers.add(({ node }) => {
    read.push(node.uuid);
    seconds += 2;
  });
  for (let rounds = 0; rounds < 3; rounds += 1) await round(daemon);
  assert.deepEqual(read.toSorted(), uuids.toSorted());
  assert.match(daemon.log(), /"nodes":2,"seconds":1/);
});
