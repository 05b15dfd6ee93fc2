import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../daemon/plugin-api/index.ts';
import { agentRaid } from '../../../plugins/agent/raid.ts';
import { rejectsFault } from '../../fakes/faults.ts';
import { fakeTask } from '../../fakes/task.ts';

const disks = [
  { size_gb: 100, raid_level: '1', is_root_volume: true, root_device_hint: { wwn: '0x5' } },
  { size_gb: 'MAX', raid_level: '5' },
];

const ended = async (step: string, result: JsonObject) => {
  const task = fakeTask({ node: { raid_config: { logical_disks: [] }, properties: { cpus: 4 } } });
  await agentRaid.agentStepEnded?.(task, { interface: 'raid', step }, result);
  return task.node;
};

test('a created RAID configuration is recorded, and its root volume becomes the root device', async () => {
  for (const [step, result] of [
    ['create_configuration', { clean_result: { logical_disks: disks } }],
    ['apply_configuration', { deploy_result: { logical_disks: disks } }],
    ['apply_configuration', { service_step: {}, service_result: { logical_disks: disks } }],
  ] as const) {
    const { raid_config, properties } = await ended(step, result);
    assert.deepEqual(raid_config, { logical_disks: disks, last_updated: '2026-01-01T00:00:00.000Z' });
    assert.deepEqual(properties, { cpus: 4, root_device: { wwn: '0x5' }, local_gb: 100 });
  }
});

test('a configuration without a root volume does not set root_device', async () => {
  const { properties } = await ended('create_configuration', {
    clean_result: { logical_disks: disks.slice(1) },
  });
  assert.deepEqual(properties, { cpus: 4 });
});

test('delete_configuration clears raid_config, and check_configuration does not change it', async () => {
  assert.deepEqual((await ended('delete_configuration', { clean_result: null })).raid_config, {});
  assert.deepEqual((await ended('check_configuration', { clean_result: null })).raid_config, {
    logical_disks: [],
  });
});

test('a result without logical disks fails the step', async () => {
  for (const result of [{}, { clean_result: null }, { clean_result: { logical_disks: 5 } }])
    await rejectsFault(
      ended('create_configuration', result),
      'AgentFailed',
      /does not list the logical disks/,
    );
});
