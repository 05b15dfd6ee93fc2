import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, Node } from '../../../daemon/plugin-api/index.ts';
import { migrateNode, planOf } from '../../../plugins/oneview/migrate.ts';
import { rejectsFault } from '../../fakes/faults.ts';
import { type OneviewBench, oneviewBench } from '../../fakes/machines/oneview-task.ts';
import { fakeNode } from '../../fakes/task.ts';

const run = ({ task }: OneviewBench, { isDryRun = false, mayPowerOff = false } = {}) =>
  migrateNode(task, { isDryRun, mayPowerOff });

/** A node whose server has had a profile since the node was enrolled. */
async function preallocated(t: Parameters<typeof oneviewBench>[0], node: Partial<Node> = {}) {
  const bench = await oneviewBench(t, {
    node: {
      provision_state: 'available',
      driver_info: { server_hardware_uri: '', dynamic_allocation: 'False' },
      ...node,
    },
  });
  return { bench, profile: bench.appliance.claim(bench.server) };
}

test('the profile of an idle node is removed, and a second run changes nothing', async (t) => {
  const { bench } = await preallocated(t);
  const { task, server, writes } = bench;
  const dry = await run(bench, { isDryRun: true });
  assert.deepEqual([dry['kind'], dry['done'], writes()], ['free', false, []]);
  const done = await run(bench);
  assert.deepEqual([done['kind'], done['done'], server.profile], ['free', true, null]);
  assert.equal(task.node.maintenance, false);
  const migrated: JsonObject = { server_hardware_uri: server.uri, dynamic_allocation: true };
  assert.deepEqual(task.node.driver_info, migrated);
  const again = await run(bench);
  assert.deepEqual([again['kind'], again['done'], writes().length], ['nothing', false, 1]);
});

test('a node with an instance keeps its profile, which becomes the recorded one', async (t) => {
  const { bench, profile } = await preallocated(t, { provision_state: 'active' });
  bench.appliance.power(bench.server, 'On');
  const done = await run(bench);
  assert.deepEqual([done['kind'], done['profile'], bench.writes()], ['adopt', profile, []]);
  assert.equal(bench.task.node.driver_info['applied_server_profile_uri'], profile);
  assert.equal(bench.server.profile, profile);
  assert.equal((await run(bench))['kind'], 'nothing');
});

test('a server that is on is switched off for its migration only when that is allowed', async (t) => {
  const { bench } = await preallocated(t);
  bench.appliance.power(bench.server, 'On');
  assert.match(JSON.stringify(await run(bench)), /its server is not off.*--power-off/);
  assert.deepEqual(bench.writes(), []);
  assert.equal((await run(bench, { mayPowerOff: true }))['kind'], 'free');
  assert.deepEqual([bench.server.profile, bench.server.powerState], [null, 'Off']);
});

test('a migration that fails leaves the node in maintenance, and the next migration finishes it', async (t) => {
  const { bench } = await preallocated(t);
  const action = { kind: 'task error', code: 'BROKEN' } as const;
  bench.appliance.fail({ method: 'DELETE', path: '/rest/server-profiles', action });
  await rejectsFault(run(bench), 'OneviewProfileFailed', /BROKEN/);
  assert.equal(bench.task.node.maintenance_reason, 'Migrating to dynamic allocation');
  assert.equal((await run(bench))['kind'], 'free');
  assert.deepEqual([bench.server.profile, bench.task.node.maintenance], [null, false]);
});

const planned = (fields: Parameters<typeof fakeNode>[0], profile: string | null = null) =>
  planOf(fakeNode({ driver: 'oneview', ...fields }), { serverProfileUri: profile, powerState: 'Off' }, false);

test('the reason is reported for a node that cannot be migrated', () => {
  const pre = { driver_info: { dynamic_allocation: false } };
  const reason = (plan: ReturnType<typeof planned>) => (plan.kind === 'refuse' ? plan.reason : plan.kind);
  assert.match(
    reason(planned({ driver_info: { dynamic_allocation: 'maybe' } })),
    /"maybe"; expected true or false/,
  );
  assert.match(reason(planned({ ...pre, provision_state: 'deploying' })), /state "deploying"/);
  assert.match(reason(planned({ ...pre, provision_state: 'active' })), /its server has no profile/);
  const taken = {
    provision_state: 'manageable',
    maintenance: true,
    maintenance_reason: 'node in use by OneView',
  } as const;
  assert.match(
    reason(planned({ ...pre, ...taken }, '/rest/server-profiles/x')),
    /a OneView user has its server/,
  );
});
