import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { readActionProgress } from '../../../daemon/ui/read/results.ts';
import { startInProcess } from '../../fakes/daemon/in-process-daemon.ts';

test('GET requests run at most two queries in a database of twenty nodes and ten ports', async (t) => {
  const daemon = await startInProcess(t);
  const nodes = [];
  for (let at = 0; at < 20; at += 1) nodes.push(await daemon.createNode({ name: `n${at}` }));
  const [{ uuid } = assert.fail()] = nodes;
  for (let at = 10; at < 20; at += 1) await daemon.createPort(uuid, `52:54:00:00:00:${at}`);
  const port = (await daemon.request('GET', '/v1/ports')).body.ports[0]?.uuid;
  const expected = {
    [`/v1/nodes/${uuid}`]: 1,
    '/v1/nodes/n3': 1,
    '/v1/nodes/n3?fields=uuid,reservation,conductor': 1,
    '/v1/nodes': 1,
    '/v1/nodes?detail=true': 1,
    '/v1/nodes/detail': 1,
    '/v1/nodes?limit=5&sort_key=name': 1,
    [`/v1/nodes?limit=5&marker=${uuid}`]: 2,
    '/v1/nodes/n3/states': 1,
    '/v1/ports': 1,
    '/v1/ports/detail': 1,
    [`/v1/ports/${port}`]: 1,
    '/v1/nodes/n3/ports': 2,
    '/v1/ports?node=n3': 2,
    '/v1/drivers': 0,
    '/v1/conductors': 1,
    '/v1/nodes/n3/history': 2,
    '/v1': 0,
  };
  const counted = countRuns(t);
  for (const [path, queries] of Object.entries(expected)) {
    counted.reset();
    assert.equal((await daemon.request('GET', path)).status, 200, path);
    assert.equal(counted.runs(), queries, path);
  }
});

test('the number of queries for a view of the page does not depend on the number of machines', async (t) => {
  const daemon = await startInProcess(t);
  const add = async (name: string) => {
    const { uuid } = await daemon.createNode({ name });
    daemon.services.db.nodes.update(uuid, { provision_state: 'clean wait', auto_discovered: true });
    daemon.services.timeline.record({ hop: 'power', node: uuid, text: 'power changed: power on' });
    daemon.services.timeline.flush();
  };
  const counted = countRuns(t);
  const count = async (view: string) => {
    counted.reset();
    const answer = await daemon.app.fetch(new Request(`http://ironic.test/ui/${view}`));
    assert.equal(answer.status, 200, view);
    return counted.runs();
  };
  const views = ['', '?q=n1', 'work', 'add/discovered', 'add/boot', 'events', 'network', 'images', 'setup'];
  await add('n0');
  // each view shows the failures of the view Health; read them before counting, as the daemon keeps them for five seconds
  await count('health');
  const few: number[] = [];
  for (const view of views) few.push(await count(view));
  for (let at = 1; at < 20; at += 1) await add(`n${at}`);
  for (const [at, view] of views.entries()) assert.equal(await count(view), few[at], view);
});

test('the number of queries for the progress of a form does not depend on the number of machines', async (t) => {
  const daemon = await startInProcess(t);
  const results: { node: string; status: number; refusal: null }[] = [];
  const add = async (name: string) => {
    const { uuid } = await daemon.createNode({ name });
    const step = {
      interface: 'deploy',
      step: 'erase_devices',
      priority: 10,
      abortable: false,
      requires_ramdisk: true,
      args: {},
    };
    daemon.services.db.nodes.update(uuid, {
      provision_state: 'clean wait',
      driver_internal_info: { clean_steps: [step], clean_step_index: 0 },
    });
    results.push({ node: uuid, status: 202, refusal: null });
  };
  const counted = countRuns(t);
  const count = () => {
    counted.reset();
    const { machines } = readActionProgress(daemon.services, {
      action: 'provide',
      verb: 'provide',
      user: null,
      results,
    });
    assert.ok(machines.every(({ step }) => step?.name === 'deploy.erase_devices'));
    return counted.runs();
  };
  await add('n0');
  const few = count();
  for (let at = 1; at < 20; at += 1) await add(`n${at}`);
  assert.equal(count(), few);
});

test('a verb makes few changes durable one by one, because each of them waits for the disk', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const counted = countRuns(t);
  const verbs = { manage: 3, provide: 5 };
  for (const [target, commits] of Object.entries(verbs)) {
    counted.reset();
    const answer = await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, { body: { target } });
    assert.equal(answer.status, 202, answer.text);
    await daemon.idle();
    assert.equal(daemon.node(uuid).last_error, null);
    assert.equal(counted.commits(), commits, target);
  }
});

/** Counts the statements that any connection runs, including those prepared earlier, and the changes that they make durable. */
function countRuns(t: Parameters<typeof startInProcess>[0]) {
  const connection = new Database(':memory:');
  const prototype = Object.getPrototypeOf(connection.prepare('SELECT 1')) as object;
  connection.close();
  let [runs, commits] = [0, 0];
  for (const name of ['all', 'get', 'iterate', 'run'] as const) {
    const original = Reflect.get(prototype, name) as (...values: unknown[]) => unknown;
    Reflect.set(prototype, name, function counted(this: unknown, ...values: unknown[]) {
      const { source, readonly, database } = this as Database.Statement;
      runs += 1;
      if (source === 'COMMIT' || !(readonly || database.inTransaction || source.startsWith('BEGIN')))
        commits += 1;
      return original.apply(this, values);
    });
    t.after(async () => void Reflect.set(prototype, name, original));
  }
  return {
    runs: () => runs,
    commits: () => commits,
    reset() {
      [runs, commits] = [0, 0];
    },
  };
}
