import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

async function family(t: Parameters<typeof startInProcess>[0]) {
  const daemon = await startInProcess(t, { ini: '[conductor]\nnode_locked_retry_attempts = 1\n' });
  const parent = await daemon.createNode({ driver: 'lab', name: 'chassis' });
  const create = (name: string, driver_info: object) =>
    daemon.createNode({ driver: 'lab', name, driver_info, parent_node: 'chassis' });
  const child = await create('blade', {});
  const own = await create('own-supply', { has_dedicated_power_supply: 'True' });
  const power = async (node: string, target: string) => {
    const answer = await daemon.request('PUT', `/v1/nodes/${node}/states/power`, { body: { target } });
    await daemon.idle();
    return answer.status;
  };
  const states = () => [parent, child, own].map(({ uuid }) => daemon.node(uuid).power_state);
  return { daemon, parent, child, power, states };
}

test('a child powers its parent on first, and a parent powers its children off first, as far as they share a supply', async (t) => {
  const { power, states } = await family(t);
  assert.equal(await power('own-supply', 'power on'), 202);
  assert.deepEqual(states(), [null, null, 'power on']);
  assert.equal(await power('blade', 'power on'), 202);
  assert.deepEqual(states(), ['power on', 'power on', 'power on']);
  assert.equal(await power('chassis', 'power off'), 202);
  assert.deepEqual(states(), ['power off', 'power off', 'power on']);
});

test('a child stays off when its parent is locked, and says so', async (t) => {
  const { daemon, parent, child, power, states } = await family(t);
  const release = daemon.services.locks.tryAcquire(parent.uuid);
  assert.equal(await power('blade', 'power on'), 202);
  release?.();
  assert.deepEqual(states(), [null, null, null]);
  const { last_error: error, target_power_state: target } = daemon.node(child.uuid);
  assert.equal(target, null);
  assert.match(
    error ?? '',
    new RegExp(`its parent node ${parent.uuid}, which shares its power supply.*locked`),
  );
});

test('a node cannot become a child of its own child or grandchild', async (t) => {
  const { daemon, parent, child } = await family(t);
  const grandchild = await daemon.createNode({ driver: 'lab', parent_node: 'blade' });
  for (const below of [parent, child, grandchild]) {
    const body = [{ op: 'add', path: '/parent_node', value: below.uuid }];
    const answer = await daemon.request('PATCH', `/v1/nodes/${parent.uuid}`, { body });
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.fault, /parent_node/);
  }
  assert.equal(daemon.node(parent.uuid).parent_node, null);
});
