import assert from 'node:assert/strict';
import test from 'node:test';
import { flatNetwork, noopNetwork } from '../../../plugins/noop/network.ts';
import { fakeTask } from '../../fakes/task.ts';

test('noop accepts VIFs and does not store them', async () => {
  const task = fakeTask();
  await noopNetwork.validate(task);
  await noopNetwork.attachVif?.(task, { id: 'lan' });
  await noopNetwork.detachVif?.(task, 'other');
  assert.deepEqual(await noopNetwork.listVifs?.(task), []);
  assert.deepEqual(task.done, []);
});

test('flat accepts a node and leaves the recording of VIFs to the daemon', async () => {
  await flatNetwork.validate(fakeTask());
  assert.equal(flatNetwork.recordsVifs, true);
});
