import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PowerSync, recoverPowerFailures } from '../../../../daemon/conductor/loops/power-sync.ts';
import type { NodeChanges } from '../../../../daemon/model/records/node.ts';
import { provisionStates } from '../../../../daemon/model/states/provision-states.ts';
import {
  type InProcessDaemon,
  type InProcessOptions,
  startInProcess,
} from '../../../fakes/daemon/in-process-daemon.ts';

interface Lab {
  readonly daemon: InProcessDaemon;
  readonly uuid: string;
  readonly failures: Map<string, number>;
  readonly pass: () => Promise<void>;
  readonly now: () => ReturnType<InProcessDaemon['node']>;
}

type Test = Parameters<typeof startInProcess>[0];

async function lab(
  t: Test,
  machine: Readonly<Record<string, unknown>>,
  stored: NodeChanges,
  options: InProcessOptions = {},
): Promise<Lab> {
  const daemon = await startInProcess(t, options);
  const { uuid } = await daemon.createNode({ driver: 'lab', driver_info: machine });
  daemon.services.db.nodes.update(uuid, { provision_state: 'manageable', ...stored });
  const failures = new Map<string, number>();
  const sync = new PowerSync(daemon.services, failures);
  return {
    daemon,
    uuid,
    failures,
    pass: async () => {
      await sync.pass();
      await sync.allRead();
    },
    now: () => daemon.node(uuid),
  };
}

test('power sync records a power state that was unknown', async (t) => {
  const { pass, now, failures } = await lab(t, { lab_power: 'power on' }, { power_state: null });
  await pass();
  assert.equal(now().power_state, 'power on');
  assert.equal(failures.size, 0);
});

test('power sync records health, boot mode and Secure Boot that the machine reports in addition to its power state', async (t) => {
  const condition = { health: 'Warning', boot_mode: 'bios', secure_boot: false };
  const { daemon, pass, now, uuid } = await lab(
    t,
    { lab_power: 'power on', lab_condition: condition },
    { power_state: 'power on', boot_mode: 'uefi' },
  );
  await pass();
  const { health, boot_mode, secure_boot } = now();
  assert.deepEqual({ health, boot_mode, secure_boot }, condition);
  const { updated_at: before } = now();
  await daemon.clock.advance(5000);
  await pass();
  assert.equal(now().updated_at, before);
  daemon.services.db.nodes.update(uuid, {
    driver_info: { lab_power: 'power on', lab_condition: { health: 7 } },
  });
  await pass();
  assert.equal(now().health, 'Warning');
});

test('power sync restores the recorded power state', async (t) => {
  const { pass, now, failures } = await lab(t, { lab_power: 'power on' }, { power_state: 'power off' });
  await pass();
  assert.equal(now().driver_internal_info['lab_set'], 'power off');
  assert.equal(now().power_state, 'power off');
  assert.equal(failures.size, 1, 'the pass that restores the state does not reset the failure count');
  await pass();
  assert.equal(failures.size, 0);
});

test('power sync that restores the recorded power state keeps the reason of an earlier failure, and notes what it does', async (t) => {
  const last_error = 'Failed to change power state to "power on": the BMC was busy';
  const { daemon, uuid, pass, now } = await lab(
    t,
    { lab_power: 'power on' },
    { power_state: 'power off', last_error },
  );
  await pass();
  assert.deepEqual([now().power_state, now().last_error], ['power off', last_error]);
  const { body } = await daemon.request('GET', `/v1/nodes/${uuid}/history/detail`);
  assert.match(
    JSON.stringify(body['history']).replaceAll('\\', ''),
    /The machine is "power on": setting it to the recorded "power off"/,
  );
});

test('power sync records the actual power state if it is not allowed to restore the recorded one', async (t) => {
  const ini = '[conductor]\nforce_power_state_during_sync = false\n';
  for (const [stored, options] of [
    [{}, { ini }],
    [{ disable_power_off: true }, {}],
  ] as const) {
    const machine = { lab_power: 'power on' };
    const { pass, now, daemon, uuid, failures } = await lab(
      t,
      machine,
      { power_state: 'power off', ...stored },
      options,
    );
    await pass();
    assert.equal(now().power_state, 'power on');
    assert.equal(failures.size, 0, 'a change that is recorded does not count as a failure');
    assert.equal(now().driver_internal_info['lab_set'], undefined);
    const { body } = await daemon.request('GET', `/v1/nodes/${uuid}/history`);
    assert.match(
      String(body.history[0]?.['event']),
      /changed outside the service: "power off" -> "power on"/,
    );
  }
});

test('power sync keeps the recorded state if the machine reports no power state', async (t) => {
  const { pass, now, failures } = await lab(t, { lab_power: 'unknown' }, { power_state: 'power on' });
  for (let at = 0; at < 6; at += 1) await pass();
  assert.deepEqual([now().power_state, now().maintenance, failures.size], ['power on', false, 0]);
});

test('repeated BMC failures put the node into maintenance with the reason', async (t) => {
  for (const says of ['silent', 'error']) {
    const { pass, now, daemon, uuid } = await lab(t, { lab_power: says }, { power_state: 'power on' });
    for (let at = 0; at < 3; at += 1) await pass();
    assert.deepEqual([now().maintenance, now().power_state], [false, 'power on']);
    await pass();
    const { maintenance, fault, power_state, last_error, maintenance_reason } = now();
    assert.deepEqual([maintenance, fault, power_state], [true, 'power failure', null]);
    assert.match(last_error ?? '', /could not be read: 4 readings in a row have failed/);
    assert.equal(maintenance_reason, last_error);
    const { body } = await daemon.request('GET', `/v1/nodes/${uuid}/history/detail`);
    assert.equal(body.history.at(-1)?.['event'], last_error);
  }
});

test('repeated failures to restore the power state put the node into maintenance', async (t) => {
  const machine = { lab_power: 'power on', lab_stuck: 'yes' };
  const { pass, now } = await lab(t, machine, { power_state: 'power off' });
  for (let at = 0; at < 4; at += 1) await pass();
  const { maintenance, fault, power_state, maintenance_reason } = now();
  assert.deepEqual([maintenance, fault, power_state], [true, 'power failure', 'power on']);
  assert.match(
    maintenance_reason ?? '',
    /is "power on": 4 readings in a row did not show the recorded "power off"/,
  );
});

test('a node with incomplete driver_info goes into maintenance only if a power state is recorded', async (t) => {
  const machine = { lab_incomplete: 'yes' };
  const unknown = await lab(t, machine, { power_state: null });
  const known = await lab(t, machine, { power_state: 'power on' });
  for (let at = 0; at < 4; at += 1) {
    await unknown.pass();
    await known.pass();
  }
  assert.equal(unknown.now().maintenance, false);
  assert.equal(known.now().maintenance, true);
});

test('power sync skips nodes that are locked, in maintenance, in certain provision states, or in a power action', async (t) => {
  const machine = { lab_power: 'power on' };
  const synced: string[] = [];
  const { pass, now, daemon, uuid } = await lab(t, machine, { power_state: null });
  const { nodes } = daemon.services.db;
  for (const provision_state of provisionStates) {
    nodes.update(uuid, { provision_state, power_state: null });
    await pass();
    if (now().power_state === 'power on') synced.push(provision_state);
  }
  const excluded = provisionStates.filter((state) => !synced.includes(state)).toSorted();
  assert.deepEqual(excluded, ['adopt failed', 'clean wait', 'enroll', 'wait call-back']);
  nodes.update(uuid, { provision_state: 'manageable', power_state: null, maintenance: true });
  await pass();
  assert.equal(now().power_state, null);
  nodes.update(uuid, { maintenance: false, target_power_state: 'power on' });
  await pass();
  assert.equal(now().power_state, null);
  nodes.update(uuid, { target_power_state: null });
  const release = daemon.services.locks.tryAcquire(uuid);
  await pass();
  assert.equal(now().power_state, null);
  release?.();
  await pass();
  assert.equal(now().power_state, 'power on');
});

test('a failing node does not prevent the power sync of other nodes', async (t) => {
  const { pass, daemon } = await lab(t, { lab_power: 'silent' }, { power_state: 'power on' });
  const other = await daemon.createNode({ driver: 'lab', driver_info: { lab_power: 'power on' } });
  const gone = await daemon.createNode({ driver: 'lab' });
  daemon.services.db.nodes.update(other.uuid, { provision_state: 'active' });
  daemon.services.db.nodes.update(gone.uuid, { provision_state: 'active', driver: 'no-such' });
  await pass();
  assert.equal(daemon.node(other.uuid).power_state, 'power on');
});

test('a pass does not wait for nodes whose last reading failed; few of them are read at once, each by one reading', async (t) => {
  const daemon = await startInProcess(t, { ini: '[conductor]\nsync_power_state_workers = 2\n' });
  const { clock, services } = daemon;
  const enrol = async (driver_info: object) => {
    const { uuid } = await daemon.createNode({ driver: 'lab', driver_info });
    services.db.nodes.update(uuid, { provision_state: 'active' });
    return uuid;
  };
  for (let at = 0; at < 3; at += 1) await enrol({ lab_power: 'silent', lab_silent_seconds: 100 });
  const failures = new Map<string, number>();
  const sync = new PowerSync(services, failures);
  const first = sync.pass();
  await clock.advance(200_000);
  await first;
  assert.deepEqual([...failures.values()], [1, 1, 1]);
  const healthy = await enrol({ lab_power: 'power on' });
  await sync.pass();
  assert.equal(daemon.node(healthy).power_state, 'power on');
  await sync.pass();
  assert.deepEqual([...failures.values()], [2, 2, 1]);
  await clock.advance(200_000);
  await sync.allRead();
  assert.deepEqual([...failures.values()], [2, 2, 2]);
});

test('a pass does not wait for nodes that answer late, however many do so at once', async (t) => {
  const daemon = await startInProcess(t, { ini: '[conductor]\nsync_power_state_workers = 2\n' });
  const { clock, services } = daemon;
  const silent = { lab_power: 'silent', lab_silent_seconds: 100 };
  const uuids: string[] = [];
  for (const driver_info of [...Array.from({ length: 6 }, () => silent), { lab_power: 'power on' }]) {
    const { uuid } = await daemon.createNode({ driver: 'lab', driver_info });
    services.db.nodes.update(uuid, { provision_state: 'active' });
    uuids.push(uuid);
  }
  const failures = new Map<string, number>();
  const sync = new PowerSync(services, failures);
  const pass = sync.pass();
  for (let rounds = 0; rounds < 3; rounds += 1) await clock.advance(5000);
  await pass;
  assert.equal(daemon.node(uuids.at(-1) ?? '').power_state, 'power on');
  await sync.pass();
  assert.deepEqual(
    new Set(failures.values()),
    new Set([1]),
    'a node is not read again while a reading is in progress',
  );
  await clock.advance(100_000);
  await sync.allRead();
  assert.equal(failures.size, 6);
});

test('power sync discards the failure counts of deleted nodes', async (t) => {
  const { pass, failures, daemon, uuid } = await lab(t, { lab_power: 'silent' }, { power_state: 'power on' });
  await pass();
  assert.equal(failures.get(uuid), 1);
  daemon.services.db.nodes.remove(uuid);
  await pass();
  assert.equal(failures.size, 0);
});

test('a node with a power failure leaves maintenance when its BMC answers; other nodes stay in maintenance', async (t) => {
  const failed = { maintenance: true, maintenance_reason: 'x', fault: 'power failure', power_state: null };
  const { daemon, uuid, now } = await lab(t, { lab_power: 'silent' }, failed);
  const other = await daemon.createNode({ driver: 'lab', maintenance: true });
  await recoverPowerFailures(daemon.services);
  assert.equal(now().maintenance, true);
  daemon.services.db.nodes.update(uuid, { driver_info: { lab_power: 'power on' } });
  await recoverPowerFailures(daemon.services);
  const { maintenance, maintenance_reason, fault, power_state } = now();
  assert.deepEqual([maintenance, maintenance_reason, fault, power_state], [false, null, null, 'power on']);
  assert.equal(daemon.node(other.uuid).maintenance, true);
});

test('an error of the BMC ends when the BMC answers; an error of work on the node stays', async (t) => {
  const options = { ini: '[conductor]\npower_state_sync_max_retries = 0\n' };
  const { daemon, uuid, pass, now } = await lab(
    t,
    { lab_power: 'silent' },
    { power_state: 'power on' },
    options,
  );
  await pass();
  assert.match(now().last_error ?? '', /Power state could not be read/);
  const answers = { driver_info: { lab_power: 'power on' } };
  daemon.services.db.nodes.update(uuid, answers);
  await recoverPowerFailures(daemon.services);
  assert.deepEqual([now().maintenance, now().last_error], [false, null]);

  daemon.services.db.nodes.update(uuid, { driver_info: { lab_power: 'power on', lab_stuck: 'yes' } });
  await daemon.request('PUT', `/v1/nodes/${uuid}/states/power`, { body: { target: 'rebooting' } });
  await daemon.idle();
  assert.match(now().last_error ?? '', /Failed to change power state to "rebooting"/);
  await pass();
  assert.equal(now().last_error, null);

  daemon.services.db.nodes.update(uuid, { driver_info: { lab_power: 'power on', lab_stuck: 'yes' } });
  await daemon.request('PUT', `/v1/nodes/${uuid}/states/power`, { body: { target: 'rebooting' } });
  await daemon.idle();
  daemon.services.db.nodes.update(uuid, { provision_state: 'clean failed' });
  await pass();
  assert.match(now().last_error ?? '', /Failed to change power state/, 'the reason of a failed flow');
});
