import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enrolNode, startListening } from '../../../../fakes/listening-daemon.ts';
import { runProcess } from '../../../../fakes/run-process.ts';

test('nodes that are refused alike end a command as one of them alone would, with --wait too', async (t) => {
  const { url } = await startListening(t, {});
  for (const name of ['a', 'b']) await enrolNode(url, { driver: 'fake-hardware', name });
  for (const wait of [[], ['--wait']]) {
    const run = (...nodes: readonly string[]) => runProcess(url, ['node', 'provide', ...nodes, ...wait]);
    const refused = await run('a', 'b');
    assert.equal(refused.code, 4, refused.errors);
    assert.match(refused.out, /^node +outcome +note\na +refused +PUT .*\nb +refused +PUT /);
    const unknown = await run('c', 'd');
    assert.equal(unknown.code, 3);
    assert.match(unknown.out, /\nc +refused +GET .* refused with 404: .*\nd +refused /);
    assert.equal((await run('a', 'c')).code, 1);
  }
});
