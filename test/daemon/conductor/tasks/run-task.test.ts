import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type InProcessDaemon, startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const put = (daemon: InProcessDaemon, node: string, target: unknown) =>
  daemon.request('PUT', `/v1/nodes/${node}/states/provision`, { body: { target } });

test('a request that locks its node waits two seconds for the lock and then gets 409; other requests do not wait', async (t) => {
  const daemon = await startInProcess(t, { ini: '[fake]\npower_delay = 60\n' });
  const { uuid } = await daemon.createNode();
  const port = await daemon.createPort(uuid, '52:54:00:00:00:01');
  await put(daemon, uuid, 'manage');
  const add = [{ op: 'add', path: '/extra/a', value: 1 }];
  const requests = [
    ['PATCH', `/v1/nodes/${uuid}`, add],
    ['DELETE', `/v1/nodes/${uuid}`, undefined],
    ['PUT', `/v1/nodes/${uuid}/maintenance`, {}],
    ['DELETE', `/v1/nodes/${uuid}/maintenance`, undefined],
    ['PUT', `/v1/nodes/${uuid}/states/power`, { target: 'power on' }],
    ['GET', `/v1/nodes/${uuid}/management/boot_device`, undefined],
    ['PATCH', `/v1/ports/${port.uuid}`, add],
    ['DELETE', `/v1/ports/${port.uuid}`, undefined],
  ] as const;
  const answers = requests.map(([method, path, body]) => daemon.request(method, path, { body }));
  let answered = 0;
  for (const answer of answers) void answer.then(() => (answered += 1));
  await daemon.clock.advance(1999);
  assert.equal(answered, 0);
  await daemon.clock.advance(1);
  for (const answer of await Promise.all(answers)) {
    assert.equal(answer.status, 409, answer.text);
    assert.equal(
      answer.fault,
      `Node ${uuid} is locked by host lab-host, please retry after the current operation is completed.`,
    );
  }
  const free = ['validate', 'states', 'ports', 'management/boot_device/supported'];
  for (const path of free)
    assert.equal((await daemon.request('GET', `/v1/nodes/${uuid}/${path}`)).status, 200);
  await daemon.createPort(uuid, '52:54:00:00:00:02');
});

test('a request that waits for a lock works on the node as it is when the lock is released', async (t) => {
  const daemon = await startInProcess(t, { ini: '[fake]\npower_delay = 1\n' });
  const { uuid } = await daemon.createNode();
  await put(daemon, uuid, 'manage');
  const waiting = put(daemon, uuid, 'provide');
  await daemon.clock.advance(0);
  assert.equal((await waiting).status, 409, 'refused at once: provide is impossible in verifying');
  const patch = daemon.request('PATCH', `/v1/nodes/${uuid}`, {
    body: [{ op: 'add', path: '/extra/a', value: 1 }],
  });
  await daemon.clock.advance(1000);
  assert.equal((await patch).body['provision_state'], 'manageable');
});

test('while the worker pool is full, a request that starts work is answered with 503 and changes nothing', async (t) => {
  const daemon = await startInProcess(t, {
    ini: '[fake]\npower_delay = 60\n[conductor]\nworkers_pool_size = 3\n',
  });
  const nodes = await Promise.all(['a', 'b', 'c', 'd'].map((name) => daemon.createNode({ name })));
  for (const name of ['a', 'b', 'c']) assert.equal((await put(daemon, name, 'manage')).status, 202);
  const before = daemon.node(nodes[3]?.uuid ?? '');
  for (const answer of [
    await put(daemon, 'd', 'manage'),
    await daemon.request('PUT', '/v1/nodes/d/states/power', { body: { target: 'power on' } }),
  ]) {
    assert.equal(answer.status, 503);
    assert.match(answer.fault, /3 are busy/);
  }
  assert.deepEqual(daemon.node(before.uuid), before);
  assert.equal(daemon.services.locks.holderOf(before.uuid), null);
  await daemon.clock.advance(60_000);
  await daemon.idle();
  assert.equal((await put(daemon, 'd', 'manage')).status, 202);
});

test('a stopping daemon rejects new work and finishes running work', async (t) => {
  const daemon = await startInProcess(t, { ini: '[fake]\npower_delay = 60\n' });
  const { uuid } = await daemon.createNode();
  await put(daemon, uuid, 'manage');
  daemon.services.workers.close();
  const other = await daemon.createNode();
  assert.equal((await put(daemon, other.uuid, 'manage')).status, 503);
  await daemon.clock.advance(60_000);
  await daemon.idle();
  assert.equal(daemon.node(uuid).provision_state, 'manageable');
});
