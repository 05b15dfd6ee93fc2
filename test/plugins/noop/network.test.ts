import assert from 'node:assert/strict';
import test from 'node:test';
import { noopNetwork } from '../../../plugins/noop/network.ts';
import { fakeTask } from '../../fakes/task.ts';

test('attached VIFs are accepted and not stored', async () => {
  const task = fakeTask();
  await noopNetwork.validate(task);
  await noopNetwork.attachVif?.(task, { id: 'lan' });
  await noopNetwork.detachVif?.(task, 'other');
  assert.deepEqual(await noopNetwork.listVifs?.(task), []);
  assert.deepEqual(task.done, []);
});
