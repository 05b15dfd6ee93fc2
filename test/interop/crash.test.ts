import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import Database from 'better-sqlite3';
import {
  afterRestart,
  type ProvisionState,
  statesOfClass,
} from '../../daemon/model/states/provision-states.ts';
import { type ApiNode, DaemonProcess, type Environment } from '../fakes/daemon/daemon-process.ts';

const MAC = '52:54:00:aa:bb:01';
const report = readFileSync(join(import.meta.dirname, '../fixtures/inspection/agent-12-bios.json'));

/** A fixed endpoint, as links must not change with the port. */
const settings = {
  IRONIC_API__PUBLIC_ENDPOINT: 'http://edge.example',
  // the records are compared with those before the kill
  IRONIC_CONDUCTOR__SYNC_POWER_STATE_INTERVAL: '0',
};

/** With this, no power operation of the fake machine finishes before the daemon is killed. */
const stuckMachine = { IRONIC_FAKE__POWER_DELAY: '3600' };
const stuckHook = {
  IRONIC_PLUGINS__PATH: join(import.meta.dirname, '../fakes/plugins'),
  IRONIC_INSPECTOR__HOOKS: '$default_hooks,stalling',
};

const provision = (daemon: DaemonProcess, target: string) =>
  accepted(daemon, 'PUT', '/v1/nodes/n1/states/provision', { target });
const inState = (daemon: DaemonProcess, state: ProvisionState) =>
  daemon.nodeWhen('n1', (node) => node.provision_state === state && node.reservation === null);

async function accepted(daemon: DaemonProcess, ...request: Parameters<DaemonProcess['request']>) {
  const { status, body } = await daemon.request(...request);
  assert.ok(status < 300, `${request.slice(0, 2).join(' ')}: ${status} ${JSON.stringify(body)}`);
}

async function postReport(daemon: DaemonProcess): Promise<void> {
  const answer = await fetch(`${daemon.url}/v1/continue_inspection`, { method: 'POST', body: report });
  assert.equal(answer.status, 202);
}

async function enrol(daemon: DaemonProcess): Promise<void> {
  await accepted(daemon, 'POST', '/v1/nodes', { driver: 'manual-management', name: 'n1' });
  const { uuid } = await daemon.node('n1');
  await accepted(daemon, 'POST', '/v1/ports', { address: MAC, node_uuid: uuid, extra: { slot: 1 } });
  await accepted(daemon, 'PATCH', '/v1/nodes/n1', [{ op: 'add', path: '/extra/rack', value: 'r1' }]);
}

async function manage(daemon: DaemonProcess): Promise<void> {
  await enrol(daemon);
  await provision(daemon, 'manage');
  await inState(daemon, 'manageable');
}

async function awaitReport(daemon: DaemonProcess): Promise<void> {
  await manage(daemon);
  await provision(daemon, 'inspect');
  const { wait } = await inState(daemon, 'inspect wait');
  assert.equal(wait['reason'], "inspection data from the machine's ramdisk");
}

async function finishInspection(daemon: DaemonProcess): Promise<void> {
  await inState(daemon, 'inspect wait');
  await postReport(daemon);
  await inState(daemon, 'manageable');
  const { status } = await daemon.request('GET', '/v1/nodes/n1/inventory');
  assert.equal(status, 200);
}

async function inspectAgain(daemon: DaemonProcess): Promise<void> {
  await provision(daemon, 'inspect');
  await finishInspection(daemon);
}

async function manageAgain(daemon: DaemonProcess): Promise<void> {
  await provision(daemon, 'manage');
  await inState(daemon, 'manageable');
}

interface CrashPoint {
  readonly when: string;
  /** Prepares the node, while operations of its machine take no time. */
  readonly before: (daemon: DaemonProcess) => Promise<void>;
  /** When set, the daemon is restarted with these variables, in addition to `settings`, before `act`. */
  readonly during?: Environment;
  readonly act: (daemon: DaemonProcess) => Promise<unknown>;
  /** The node's fields that the restart changes, besides last_error, the reservation and times of updates. */
  readonly left?: Partial<ApiNode>;
  /** Matches the last_error after the restart. Without this pattern the restart may change only the node's reservation. */
  readonly error?: RegExp;
  readonly goesOn: (daemon: DaemonProcess) => Promise<void>;
}

const nothing = async () => {};

const crashPoints: readonly CrashPoint[] = [
  {
    when: 'a node, a port and a change have been acknowledged',
    before: nothing,
    act: enrol,
    goesOn: manageAgain,
  },
  {
    when: 'maintenance has been acknowledged',
    before: manage,
    act: (daemon) => accepted(daemon, 'PUT', '/v1/nodes/n1/maintenance', { reason: 'disk' }),
    goesOn: (daemon) => accepted(daemon, 'DELETE', '/v1/nodes/n1/maintenance'),
  },
  { when: 'a node has become manageable', before: enrol, act: manageAgain, goesOn: inspectAgain },
  {
    when: 'a node is verifying',
    before: enrol,
    during: stuckMachine,
    act: (daemon) => provision(daemon, 'manage'),
    left: { provision_state: 'enroll', target_provision_state: null },
    error: /interrupted in state "verifying": the service was restarted.*goes to "enroll"/,
    goesOn: manageAgain,
  },
  {
    when: 'a machine is being powered on',
    before: manage,
    during: stuckMachine,
    act: (daemon) => accepted(daemon, 'PUT', '/v1/nodes/n1/states/power', { target: 'power on' }),
    left: { target_power_state: null },
    error: /pending power operation \(target "power on"\) was aborted: the service was restarted/,
    async goesOn(daemon) {
      await accepted(daemon, 'PUT', '/v1/nodes/n1/states/power', { target: 'power on' });
      const node = await daemon.nodeWhen('n1', ({ target_power_state }) => target_power_state === null);
      assert.deepEqual([node.power_state, node.last_error], ['power on', null]);
    },
  },
  {
    when: 'a machine is being booted into the ramdisk',
    before: manage,
    during: stuckMachine,
    act: (daemon) => provision(daemon, 'inspect'),
    left: {
      provision_state: 'inspect failed',
      target_power_state: null,
      inspection_started_at: null,
      driver_internal_info: {},
      power_state: 'power off',
    },
    error: /interrupted in state "inspecting": the service was restarted.*goes to "inspect failed"/,
    goesOn: inspectAgain,
  },
  { when: 'a node is in inspect wait', before: nothing, act: awaitReport, goesOn: finishInspection },
  {
    when: 'inspection hooks run',
    before: awaitReport,
    during: stuckHook,
    async act(daemon) {
      await postReport(daemon);
      await daemon.logged(({ line }) => line === 'hook stalls');
    },
    left: {
      provision_state: 'inspect failed',
      inspection_started_at: null,
      driver_internal_info: {},
      power_state: 'power off',
    },
    error: /interrupted in state "inspecting": the service was restarted/,
    goesOn: inspectAgain,
  },
  {
    when: 'an inspection has finished',
    before: awaitReport,
    act: finishInspection,
    async goesOn(daemon) {
      assert.equal((await daemon.request('GET', '/v1/nodes/n1/inventory')).status, 200);
      await provision(daemon, 'provide');
      await inState(daemon, 'available');
    },
  },
  {
    when: 'a node has become available',
    before: manage,
    async act(daemon) {
      await provision(daemon, 'provide');
      await inState(daemon, 'available');
    },
    goesOn: manageAgain,
  },
];

/** Reads the node and its port: what is read before the kill is compared with what is read after the restart. */
const recordsOf = async (daemon: DaemonProcess) => ({
  node: await daemon.node('n1'),
  ports: (await daemon.request('GET', '/v1/ports/detail')).body,
});

describe('kill -9 of the daemon', { concurrency: 2 }, () => {
  for (const point of crashPoints) {
    test(`kill -9 when ${point.when} loses no record and leaves a usable node`, () => crashAt(point));
  }
});

async function crashAt({ before, during, act, left, error, goesOn }: CrashPoint): Promise<void> {
  await using daemon = await DaemonProcess.start(settings);
  await before(daemon);
  if (during !== undefined) {
    await daemon.kill();
    await daemon.restart({ ...settings, ...during });
  }
  await act(daemon);
  const known = await recordsOf(daemon);
  await daemon.kill();
  await daemon.restart(settings);
  // an interrupted inspection is cleaned up after the start
  await daemon.nodeWhen('n1', ({ reservation }) => reservation === null);
  const found = await recordsOf(daemon);
  const { last_error, updated_at, provision_updated_at } = found.node;
  const changed = error !== undefined && { ...left, last_error, updated_at, provision_updated_at };
  assert.deepEqual(found, { ...known, node: { ...known.node, reservation: null, ...changed } });
  if (error !== undefined) {
    assert.match(last_error ?? '', error);
    const events = await historyOf(daemon);
    assert.deepEqual(events.at(-1), { severity: 'ERROR', event: last_error, event_type: 'startup failure' });
  }
  await goesOn(daemon);
}

async function historyOf(daemon: DaemonProcess) {
  const { body } = await daemon.request<{ readonly history: readonly { readonly uuid: string }[] }>(
    'GET',
    '/v1/nodes/n1/history',
  );
  const entries = body.history.map(({ uuid }) =>
    daemon.request<{ severity: string; event: string; event_type: string }>(
      'GET',
      `/v1/nodes/n1/history/${uuid}`,
    ),
  );
  return (await Promise.all(entries)).map(({ body: { severity, event, event_type } }) => ({
    severity,
    event,
    event_type,
  }));
}

test('a restart moves every node in a transient state to a defined state with a reason', async () => {
  await using daemon = await DaemonProcess.start(settings);
  const working = statesOfClass('transient');
  for (const name of working.map(nameOf)) {
    await accepted(daemon, 'POST', '/v1/nodes', { driver: 'manual-management', name });
  }
  await daemon.kill();
  const database = new Database(join(daemon.statePath, 'ironic-edge.sqlite'));
  const put = database.prepare('UPDATE nodes SET provision_state = ? WHERE name = ?');
  for (const state of working) put.run(state, nameOf(state));
  database.close();
  await daemon.restart(settings);
  for (const state of working) {
    const { provision_state, last_error, reservation } = await daemon.node(nameOf(state));
    assert.deepEqual([provision_state, reservation], [afterRestart(state), null]);
    assert.match(last_error ?? '', new RegExp(`in state "${state}".*goes to "${provision_state}"`));
  }
});

const nameOf = (state: ProvisionState) => state.replaceAll(' ', '-');

test('every PATCH that is answered with 200 survives kill -9', async () => {
  await using daemon = await DaemonProcess.start(settings);
  const nodes = ['a', 'b', 'c'];
  for (const name of nodes)
    await accepted(daemon, 'POST', '/v1/nodes', { driver: 'manual-management', name });
  // two writers for each node, to make some wait for a lock
  const writers = [...nodes, ...nodes].map((node, number) => ({ node, key: `w${number}`, acknowledged: 0 }));
  for (const answersUntilKill of [1, 7, 40, 150]) {
    let answers = 0;
    const killed = Promise.withResolvers<void>();
    const write = async (writer: (typeof writers)[number]) => {
      for (let value = writer.acknowledged + 1; ; value += 1) {
        const patch = [{ op: 'add', path: `/extra/${writer.key}`, value }];
        const answer = await daemon
          .request('PATCH', `/v1/nodes/${writer.node}`, patch)
          .catch(() => undefined);
        if (answer?.status !== 200) return;
        writer.acknowledged = value;
        answers += 1;
        if (answers === answersUntilKill) killed.resolve(daemon.kill());
      }
    };
    await Promise.all([...writers.map(write), killed.promise]);
    await daemon.restart(settings);
    for (const { node, key, acknowledged } of writers) {
      const { extra } = await daemon.node(node);
      const stored = Number(extra[key] ?? 0);
      // the last change may be stored without an answer
      assert.ok([acknowledged, acknowledged + 1].includes(stored), `${key}: ${acknowledged}, ${stored}`);
    }
  }
});
