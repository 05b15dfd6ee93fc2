// The network interface that changes nothing.
import assert from 'node:assert/strict';
import test from 'node:test';
import { noopNetwork } from '../../../plugins/noop/network.ts';
import { inMemoryTask } from '../in-memory-task.ts';

test('networks for inspection are neither added nor removed', async () => {
  const { task, done } = inMemoryTask();
  await noopNetwork.validate(task);
  await noopNetwork.addInspectionNetwork(task);
  await noopNetwork.removeInspectionNetwork(task);
  assert.deepEqual(done, []);
});
