import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeCommand } from '../../../../daemon/cli/nodes/node-command.ts';
import { recordCommand } from '../../../../daemon/cli/records/record-commands.ts';
import { recordKinds, type RecordWord } from '../../../../daemon/cli/records/record-kinds.ts';
import { startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';

const UUID = /^[0-9a-f-]{36}$/;

test('each kind of record that can be written is created, listed, shown, changed and deleted', async (t) => {
  const { url, services } = await startListening(t, {});
  const environment = { OS_ENDPOINT: url };
  const node = async (...args: readonly string[]) =>
    (await runCommand((context) => nodeCommand(args, context), environment)).out.trim();
  const uuid = await node('create', 'driver=fake-hardware', 'name=rack-1', 'properties/cpus:=8');
  assert.match(uuid, UUID);
  assert.match(await node('show', 'rack-1'), /\nproperties +\{"cpus":8\}\n/);
  await node('set', 'rack-1', 'extra/rack=7', 'automated_clean:=false');
  assert.match(await node('show', 'rack-1', '--format', 'yaml'), /\nextra:\n {2}rack: "7"\n/);
  await node('unset', 'rack-1', 'extra/rack');
  assert.match(await node('show', 'rack-1'), /\nextra +\{\}\n/);

  // volumes can be changed only while the machine is off
  services.db.nodes.update(uuid, { power_state: 'power off' });

  const step = '[{"interface":"bios","step":"factory_reset","args":{},"priority":10}]';
  const ordered = '[{"interface":"bios","step":"factory_reset","args":{},"order":1}]';
  const action = '[{"op":"set-attribute","args":{"path":"/extra/seen","value":"yes"}}]';
  const created: Partial<Record<RecordWord, readonly string[]>> = {
    chassis: ['description=left'],
    'port-group': [`node_uuid=${uuid}`, 'name=bond-1'],
    port: [`node_uuid=${uuid}`, 'address=52:54:00:00:00:01'],
    'volume-connector': [`node_uuid=${uuid}`, 'type=iqn', 'connector_id=iqn.2017-07.org:1'],
    'volume-target': [`node_uuid=${uuid}`, 'volume_type=iscsi', 'boot_index:=0', 'volume_id=v1'],
    'deploy-template': ['name=CUSTOM_RESET', `steps:=${step}`],
    runbook: ['name=CUSTOM_BOOK', `steps:=${ordered}`],
    profile: ['name=web', 'hostname=web-{n}'],
    class: ['name=web', 'cpus:=2'],
    expected: ['name=web-7', 'serial_number=S1'],
    image: ['name=web', 'source=oci://registry.test/web:1'],
    'inspection-rule': ['description=mark', `actions:=${action}`],
    allocation: ['name=web', 'resource_class=gold'],
  };
  for (const [word, fields] of Object.entries(created) as [RecordWord, readonly string[]][]) {
    const command = recordCommand(word);
    const run = async (...args: readonly string[]) => {
      const { code, out, errors } = await runCommand((context) => command(args, context), environment);
      assert.deepEqual([code, errors], [0, ''], `${word} ${args.join(' ')}`);
      return out.trim();
    };
    const record = await run('create', ...fields);
    assert.match(record, UUID);
    const [head, row] = (await run('list')).split('\n');
    assert.match(head ?? '', /^uuid /);
    assert.ok(row?.startsWith(record), `${word}: ${row}`);
    const hasExtra = !['inspection-rule', 'image', 'profile', 'class', 'expected'].includes(word);
    await run('set', record, hasExtra ? 'extra/a-b=c' : 'description=noted');
    assert.match(await run('show', record), hasExtra ? /\{"a-b":"c"\}/ : /noted/);
    await run('delete', record);
    assert.equal(JSON.parse(await run('list', '--json')).length, 0, word);
  }
  assert.deepEqual(
    new Set([...Object.keys(created), 'discover', 'driver', 'conductor']),
    new Set(recordKinds.keys()),
  );
  assert.equal(await node('delete', 'rack-1'), '');
});

test('hardware types and conductors are listed, and a hardware type shows its properties but cannot be created', async (t) => {
  const { url } = await startListening(t, {});
  const run = (word: RecordWord, ...args: readonly string[]) =>
    runCommand((context) => recordCommand(word)(args, context), { OS_ENDPOINT: url });
  assert.match((await run('driver', 'list')).out, /\nfake-hardware +dynamic/);
  assert.match((await run('driver', 'properties', 'ipmi')).out, /\nipmi_address +IP address|\nipmi_address /);
  assert.match((await run('conductor', 'list')).out, /\n\S+ .*true\n/);
  assert.equal((await run('driver', 'create')).code, 2);
});

test('list prints the fields of --fields, and passes --filter to the API', async (t) => {
  const { url } = await startListening(t, {});
  const run = (...args: readonly string[]) =>
    runCommand((context) => recordCommand('port')(args, context), { OS_ENDPOINT: url });
  const nodes = ['a', 'b'].map((name) => ['create', 'driver=fake-hardware', `name=${name}`]);
  for (const [number, args] of nodes.entries()) {
    const { out } = await runCommand((context) => nodeCommand(args, context), { OS_ENDPOINT: url });
    await run('create', `node_uuid=${out.trim()}`, `address=52:54:00:00:00:0${number}`);
  }
  const { out } = await run('list', '--fields', 'address', '--filter', 'node=b');
  assert.equal(out, 'address\n52:54:00:00:00:01\n');
  const { code, errors } = await run('list', '--filter', 'node');
  assert.equal(code, 2);
  assert.match(errors, /--filter "node": expected NAME=VALUE/);
});
