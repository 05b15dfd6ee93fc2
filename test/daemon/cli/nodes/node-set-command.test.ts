import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileWith } from '../../../fakes/file-with.ts';
import { enrolNode, startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { runProcess } from '../../../fakes/clients/run-process.ts';

const raid = { logical_disks: [{ size_gb: 100, raid_level: '1', is_root_volume: true }] };

test('set writes the target RAID configuration from a file, standard input or the argument', async (t) => {
  const { url, services } = await startListening(t, {});
  const uuid = await enrolNode(url, { driver: 'fake-hardware', name: 'a', raid_interface: 'no-raid' });
  const set = (words: readonly string[], input = '') =>
    runProcess(url, ['node', 'set', 'a', ...words], input);
  const stored = () => services.db.nodes.get(uuid)?.target_raid_config;
  const file = fileWith(t, 'raid.json', JSON.stringify(raid));

  const refused = await set(['--target-raid-config', file]);
  assert.equal(refused.code, 3);
  assert.match(refused.errors, /PUT \/v1\/nodes\/a\/states\/raid was refused/);
  // the field is changed first, and the new interface accepts the configuration
  assert.equal((await set(['raid_interface=fake', '--target-raid-config', file])).code, 0);
  assert.deepEqual(stored(), raid);
  assert.equal((await set(['--target-raid-config', '{}'])).code, 0);
  assert.deepEqual(stored(), {});
  assert.equal((await set(['--target-raid-config', '-'], JSON.stringify(raid))).code, 0);
  assert.deepEqual(stored(), raid);
});

test('set changes nothing if the RAID configuration is not JSON, and refuses a call that asks for no change', async (t) => {
  const { url, services } = await startListening(t, {});
  const uuid = await enrolNode(url, { driver: 'fake-hardware', name: 'a' });
  const broken = await runProcess(url, [
    'node',
    'set',
    'a',
    'extra/rack=7',
    '--target-raid-config',
    '{disks}',
  ]);
  assert.equal(broken.code, 1);
  assert.match(
    broken.errors,
    /--target-raid-config is not JSON: .*\. Write an object with the list logical_disks/,
  );
  assert.deepEqual(services.db.nodes.get(uuid)?.extra, {});
  const missing = await runProcess(url, ['node', 'set', 'a']);
  assert.equal(missing.code, 2);
  assert.match(missing.errors, /FIELD=VALUE or --target-raid-config is missing/);
});

test('a new driver that does not support the interfaces of the node is refused unless --reset-interfaces is given', async (t) => {
  const { url, services } = await startListening(t, {});
  const uuid = await enrolNode(url, { driver: 'fake-hardware', name: 'a' });
  const kept = await runProcess(url, ['node', 'set', 'a', 'driver=manual-management']);
  assert.equal(kept.code, 4);
  const reset = await runProcess(url, ['node', 'set', 'a', 'driver=manual-management', '--reset-interfaces']);
  assert.equal(reset.code, 0, reset.errors);
  assert.equal(services.db.nodes.get(uuid)?.driver, 'manual-management');
  assert.equal(services.db.nodes.get(uuid)?.management_interface, 'noop');
});
