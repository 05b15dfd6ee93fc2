import assert from 'node:assert/strict';
import { test } from 'node:test';
import { httpServer } from '../../../../fakes/services/http-server.ts';
import { enrolNode, startListening } from '../../../../fakes/daemon/listening-daemon.ts';
import { runProcess } from '../../../../fakes/clients/run-process.ts';

test('a command whose nodes are all refused for one reason has the exit code of that reason, with --wait too', async (t) => {
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

test('the nodes whose work has begun are listed when the daemon stops answering', async (t) => {
  let requests = 0;
  const { port } = await httpServer(t, (_, response) => {
    requests += 1;
    if (requests <= 2) response.end('{"uuid":"u-1"}');
    else response.destroy();
  });
  const words = ['node', 'deploy', 'a', 'b', '--wait'];
  const { code, out, errors } = await runProcess(`http://127.0.0.1:${port}`, words);
  assert.equal(code, 5);
  assert.match(errors, /Cannot reach the API at /);
  assert.match(out, /^node +outcome +note\na +accepted\n$/);
});
