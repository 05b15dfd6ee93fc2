import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import {
  type InProcessDaemon,
  type InProcessOptions,
  startInProcess,
} from '../../../fakes/daemon/in-process-daemon.ts';
import {
  refuse,
  scriptedInspector,
  type ScriptedInspector,
} from '../../../fakes/services/scripted-inspector.ts';

const MAC = '52:54:00:00:00:01';
const found = { inventory: { interfaces: [{ name: 'eth0', mac_address: MAC }] }, extra: [1], logs: 'bG9n' };

interface Session {
  readonly daemon: InProcessDaemon;
  readonly inspector: ScriptedInspector;
  readonly node: string;
  /** Waits until the node is in this state and unlocked. */
  readonly ends: (state: string) => Promise<void>;
}

/** A node whose inspection by ironic-inspector has just started. */
async function inspecting(
  t: TestContext,
  { fields = {}, ini = '' }: { readonly fields?: object; readonly ini?: string } = {},
): Promise<Session> {
  const inspector = await scriptedInspector(t);
  const options: InProcessOptions = {
    loops: true,
    ini: `enabled_inspect_interfaces = inspector
enabled_boot_interfaces = fake,no-boot
[inspector]
endpoint_override = ${inspector.url}
callback_endpoint_override = mdns
status_check_period = 10
${ini}`,
  };
  const daemon = await startInProcess(t, options);
  const { uuid: node } = await daemon.createNode({ driver: 'lab', boot_interface: 'no-boot', ...fields });
  await daemon.createPort(node, MAC);
  daemon.services.db.nodes.update(node, { provision_state: 'manageable', power_state: 'power off' });
  const ends = (state: string) =>
    until(() => daemon.node(node).provision_state === state && daemon.services.locks.holderOf(node) === null);
  const path = `/v1/nodes/${node}/states/provision`;
  assert.equal((await daemon.request('PUT', path, { body: { target: 'inspect' } })).status, 202);
  await ends('inspect wait');
  inspector.lines.splice(0);
  return { daemon, inspector, node, ends };
}

async function until(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** Advances the clock by one second and waits until the node is unlocked: a poll that was due has then ended. */
async function second({ daemon, node }: Session): Promise<void> {
  await daemon.clock.advance(1000);
  await until(() => daemon.services.locks.holderOf(node) === null);
}

/** Advances the clock by `seconds`. Returns the seconds from now at which ironic-inspector was polled. */
async function questions(session: Session, seconds: number): Promise<number[]> {
  const asked: number[] = [];
  for (let now = 1; now <= seconds; now += 1) {
    const before = session.inspector.lines.length;
    await second(session);
    if (session.inspector.lines.length > before) asked.push(now);
  }
  return asked;
}

const report = (daemon: InProcessDaemon, body: object = found) =>
  daemon.request('POST', '/v1/continue_inspection', { version: null, body });

const events = ({ daemon, node }: Session) =>
  daemon.services.db.history.where({ sql: 'node_uuid = ?', values: [node] }).map(({ event }) => event);

const inventory = async ({ daemon, node }: Session) =>
  (await daemon.request('GET', `/v1/nodes/${node}/inventory`)).body;

test('ironic-inspector is polled at growing intervals, which restart after a ramdisk report', async (t) => {
  const session = await inspecting(t);
  const { daemon, inspector, node } = session;
  assert.deepEqual(await questions(session, 40), [1, 2, 4, 8, 16, 26, 36]);
  const answer = await report(daemon);
  assert.deepEqual([answer.status, answer.body], [202, { uuid: node }]);
  await until(() => inspector.lines.includes('POST continue'));
  assert.deepEqual(inspector.asked.at(-1)?.body, found);
  assert.equal(daemon.node(node).provision_state, 'inspect wait');
  assert.deepEqual(await questions(session, 20), [1, 2, 4, 8, 16]);
});

test('introspection data is stored at the end of the inspection without running hooks', async (t) => {
  const session = await inspecting(t);
  Object.assign(session.inspector, { introspection: { finished: true, error: null }, data: found });
  await second(session);
  await session.ends('manageable');
  assert.deepEqual(await inventory(session), { inventory: found.inventory, plugin_data: { extra: [1] } });
  assert.deepEqual(session.daemon.node(session.node).properties, {});
  assert.ok(events(session).at(-1)?.startsWith('Inspection finished'));
});

test('[inventory] data_backend none stores no introspection data', async (t) => {
  const session = await inspecting(t, { ini: '[inventory]\ndata_backend = none\n' });
  Object.assign(session.inspector, { introspection: { finished: true, error: null }, data: found });
  await second(session);
  await session.ends('manageable');
  assert.equal(session.daemon.services.db.inventory.get(session.node), undefined);
});

test('a failed poll is recorded once per reason and does not fail the inspection', async (t) => {
  const session = await inspecting(t);
  const { inspector } = session;
  inspector.trouble = { at: /./, answer: refuse(500, 'out of memory') };
  await questions(session, 20);
  assert.ok(inspector.lines.length > 3);
  Object.assign(inspector, { introspection: { finished: true, error: null }, data: found });
  inspector.trouble = { at: /data$/, answer: refuse(503, 'database is locked') };
  await questions(session, 20);
  assert.equal(session.daemon.node(session.node).provision_state, 'inspect wait');
  const recorded = events(session).filter((event) => event.includes('Could not poll'));
  assert.deepEqual(
    recorded.map((event) => event.slice(event.lastIndexOf(':') + 2)),
    ['out of memory', 'database is locked'],
  );
  inspector.trouble = undefined;
  await questions(session, 10);
  await session.ends('manageable');
  assert.deepEqual((await inventory(session))['inventory'], found.inventory);
});

test('an error from ironic-inspector fails the inspection and keeps the previous inventory', async (t) => {
  const session = await inspecting(t);
  const { db } = session.daemon.services;
  db.inventory.put(session.node, '2026-01-01T00:00:00+00:00', { inventory: '{"old":1}', plugin_data: '{}' });
  session.inspector.introspection = { finished: true, error: 'No disks' };
  await second(session);
  await session.ends('inspect failed');
  const { last_error, driver_internal_info } = session.daemon.node(session.node);
  assert.equal(last_error, 'ironic-inspector inspection failed: No disks');
  assert.deepEqual(driver_internal_info, {});
  assert.deepEqual((await inventory(session))['inventory'], { old: 1 });
});

for (const [what, data, reason] of [
  ['are not an object', [1], /the body is not of type object/],
  ['are nested too deeply', nested(200), /nested deeper than 25 levels/],
] as const)
  test(`introspection data that ${what} fail the inspection and are not stored`, async (t) => {
    const session = await inspecting(t);
    Object.assign(session.inspector, { introspection: { finished: true, error: null }, data });
    await second(session);
    await session.ends('inspect failed');
    assert.match(session.daemon.node(session.node).last_error ?? '', /^Failed to finish inspection: /);
    assert.match(session.daemon.node(session.node).last_error ?? '', reason);
    assert.equal((await session.daemon.request('GET', `/v1/nodes/${session.node}/inventory`)).status, 404);
  });

function nested(depth: number): object {
  return depth === 0 ? {} : { deeper: nested(depth - 1) };
}

test('a failed power-off at the end fails the inspection, and the introspection data is stored', async (t) => {
  const session = await inspecting(t, { fields: { boot_interface: 'fake' } });
  const { services } = session.daemon;
  const stuck = { ...session.daemon.node(session.node).driver_info, lab_stuck: 'yes' };
  services.db.nodes.update(session.node, { driver_info: stuck });
  Object.assign(session.inspector, { introspection: { finished: true, error: null }, data: found });
  await second(session);
  await session.ends('inspect failed');
  assert.match(
    session.daemon.node(session.node).last_error ?? '',
    /^Failed to finish inspection: .*no answer/,
  );
  assert.deepEqual((await inventory(session))['inventory'], found.inventory);
});

test('ironic-inspector is not polled while the node is locked or in maintenance', async (t) => {
  const session = await inspecting(t);
  const { daemon, inspector, node } = session;
  const release = daemon.services.locks.tryAcquire(node);
  await daemon.clock.advance(5000);
  release?.();
  daemon.services.db.nodes.update(node, { maintenance: true });
  await questions(session, 30);
  assert.deepEqual(inspector.lines, []);
  daemon.services.db.nodes.update(node, { maintenance: false });
  assert.equal((await questions(session, 10)).length > 0, true);
});

test('a report that ironic-inspector rejects fails the inspection with the error of ironic-inspector', async (t) => {
  const session = await inspecting(t);
  session.inspector.trouble = { at: /^POST continue/, answer: refuse(400, 'Look up error') };
  assert.equal((await report(session.daemon)).status, 202);
  await session.ends('inspect failed');
  await session.daemon.idle();
  assert.match(
    session.daemon.node(session.node).last_error ?? '',
    /^Failed to pass the ramdisk's report on: ironic-inspector .* HTTP status 400: Look up error$/,
  );
  assert.ok(session.inspector.lines.some((line) => line.endsWith('/abort')));
});

test('a late rejection of a report does not affect the next inspection', async (t) => {
  const session = await inspecting(t);
  const { daemon, inspector, node } = session;
  const held = Promise.withResolvers<() => void>();
  inspector.trouble = {
    at: /^POST continue/,
    answer: (response) => held.resolve(() => refuse(400, 'too late')(response)),
  };
  await report(daemon);
  const refuseReport = await held.promise;
  const path = `/v1/nodes/${node}/states/provision`;
  for (const target of ['abort', 'inspect']) {
    assert.equal((await daemon.request('PUT', path, { body: { target } })).status, 202);
    await session.ends(target === 'abort' ? 'inspect failed' : 'inspect wait');
    await daemon.clock.advance(100);
  }
  refuseReport();
  await daemon.idle();
  const { provision_state, last_error } = daemon.node(node);
  assert.deepEqual([provision_state, last_error], ['inspect wait', null]);
});

test('a report that finds too few free workers is answered with 503 and leaves the node unchanged', async (t) => {
  const { daemon, node, inspector } = await inspecting(t, { ini: '[conductor]\nworkers_pool_size = 3\n' });
  const leave = [1, 2].map(() => daemon.services.workers.enter('request'));
  const before = daemon.node(node);
  assert.equal((await report(daemon)).status, 503);
  assert.deepEqual(daemon.node(node), before);
  for (const one of leave) one();
  assert.deepEqual(inspector.lines, []);
});

test('inspect_wait_timeout ends the wait for ironic-inspector and aborts the introspection', async (t) => {
  const session = await inspecting(t, { ini: '[conductor]\ninspect_wait_timeout = 60\n' });
  await questions(session, 61);
  await session.ends('inspect failed');
  assert.match(
    session.daemon.node(session.node).last_error ?? '',
    /^Timed out after 60 s of waiting for inspection data/,
  );
  assert.ok(session.inspector.lines.some((line) => line.endsWith('/abort')));
});
