import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enrolNode, startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { runProcess } from '../../../fakes/clients/run-process.ts';

test('list counts the nodes of each shard', async (t) => {
  const { url } = await startListening(t, {});
  for (const shard of ['left', 'left', 'right', null])
    await enrolNode(url, { driver: 'fake-hardware', ...(shard !== null && { shard }) });
  const { code, out } = await runProcess(url, ['shard', 'list']);
  assert.equal(code, 0);
  const [head, ...rows] = out
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/ +/, ' '));
  assert.equal(head, 'name count');
  assert.deepEqual(rows.toSorted(), ['None 1', 'left 2', 'right 1']);
});
