import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeCommand } from '../../../../daemon/cli/nodes/node-command.ts';
import { enrolNode, startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';

const MAC = '52:54:00:12:34:56';
const run = (url: string, ...args: readonly string[]) =>
  runCommand((context) => nodeCommand(args, context), { OS_ENDPOINT: url });

test('timeline prints each event of a node or of an unknown machine on its own line', async (t) => {
  const { url, services } = await startListening(t, {});
  const uuid = await enrolNode(url, { driver: 'fake-hardware', name: 'one' });
  services.timeline.record({ hop: 'power', node: uuid, text: 'power changed: power on' });
  services.timeline.record({ hop: 'tftp', mac: MAC, text: 'asked for x, which is not served', failed: true });
  const node = await run(url, 'timeline', 'one');
  assert.equal(node.code, 0);
  assert.match(node.out, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} {3}power {6}- +power changed: power on\n$/);
  const unknown = await run(url, 'timeline', MAC.toUpperCase());
  assert.match(unknown.out, /\d ! tftp {7}52:54:00:12:34:56 asked for x, which is not served\n$/);
  const yaml = await run(url, 'timeline', uuid, '--format', 'yaml');
  assert.match(yaml.out, /^- id: \d+\n(  .*\n)*  hop: power\n/);
  const json = await run(url, 'timeline', uuid, '--json');
  assert.deepEqual(await run(url, 'timeline', uuid, '--format', 'json'), json);
  assert.equal((JSON.parse(json.out) as { hop: string }).hop, 'power');
  const since = (JSON.parse(json.out) as { id: number }).id;
  const later = await run(url, 'timeline', uuid, '--since', String(since));
  assert.deepEqual([later.code, later.out], [0, '']);
  assert.equal(later.errors, `No events of ${uuid} after event ${since}.\n`);
});

test('timeline says on stderr that there are no events', async (t) => {
  const { url } = await startListening(t, {});
  await enrolNode(url, { driver: 'fake-hardware', name: 'new' });
  const { code, out, errors } = await run(url, 'timeline', 'new');
  assert.deepEqual([code, out, errors], [0, '', 'No events of new.\n']);
});

test('timeline --follow prints events as they come', async (t) => {
  const daemon = await startListening(t, {});
  const uuid = await enrolNode(daemon.url, { driver: 'fake-hardware' });
  const printed = Promise.withResolvers<string>();
  const follow = nodeCommand(['timeline', uuid, '--follow'], {
    environment: { OS_ENDPOINT: daemon.url },
    stdout: { write: (text: string) => printed.resolve(text) },
    stderr: { write: () => {} },
  });
  daemon.services.timeline.record({ hop: 'power', node: uuid, text: 'power changed: power on' });
  assert.match(await printed.promise, /power changed: power on/);
  await daemon.stop();
  await assert.rejects(async () => follow, /Cannot reach the API/);
});

test('wrong arguments print the usage and exit with code 2', async () => {
  for (const args of [
    ['timeline'],
    ['timeline', 'a', 'b'],
    ['timeline', 'a', '--since', 'x'],
    ['unknown', 'x'],
  ]) {
    const { code, out, errors } = await run('http://127.0.0.1:9', ...args);
    assert.deepEqual([code, out], [2, ''], args.join(' '));
    assert.match(errors, /^usage: ironic-edge node/);
  }
});
