import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { inspectCommand } from '../../../../daemon/cli/nodes/inspect-command.ts';
import { enrolNode, startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';

const MAC = '52:54:00:00:00:01';
const inventory = {
  interfaces: [{ name: 'eth0', mac_address: MAC }],
  cpu: { architecture: 'x86_64', count: 8 },
  memory: { physical_mb: 1024 },
  boot: { pxe_interface: MAC },
};

const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runCommand((context) => inspectCommand(args, context), environment);

/** Returns a function that writes a temporary file and returns its path. */
function files(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'inspect-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
}

const RULES = `
- description: rows
  conditions: [{op: eq, args: {values: ['{node.name}', a-node]}}]
  actions:
    - {op: set-attribute, args: {path: extra.row, value: '{plugin_data[racks][row]}'}}
    - {op: log, args: {msg: 'seen {node.name}'}}
- actions: [{op: api-call, args: {url: 'http://192.0.2.1/seen'}}]
`;

async function daemonWithNode(t: TestContext) {
  const environment = {
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'fake-hardware',
    IRONIC_INSPECTOR__POWER_OFF: 'false',
  };
  const { url, services, stateDirectory } = await startListening(t, { environment });
  const uuid = await enrolNode(url, { driver: 'fake-hardware', name: 'a-node' });
  services.db.inventory.put(uuid, '2026-01-01T00:00:00+00:00', {
    inventory: JSON.stringify(inventory),
    plugin_data: '{"racks":{"row":4}}',
  });
  return { url, uuid, services, stateDirectory };
}

test('reprocess processes the stored inspection data in the daemon and prints the changes', async (t) => {
  const { url, uuid, services } = await daemonWithNode(t);
  const environment = { OS_ENDPOINT: url };
  const tried = await run(['reprocess', 'a-node', '--dry-run'], environment);
  assert.deepEqual([tried.code, tried.errors], [0, '']);
  assert.match(tried.out, /^value +before +after\n\/node\/properties\/cpu_arch +- +x86_64\n/);
  assert.deepEqual(services.db.ports.ofNode(uuid), []);
  const done = await run(['reprocess', uuid, '--json'], environment);
  assert.equal((JSON.parse(done.out) as { changes: unknown[] }).changes.length, 5);
  assert.deepEqual(
    services.db.ports.ofNode(uuid).map(({ address }) => address),
    [MAC],
  );
  const again = await run(['reprocess', 'a-node'], environment);
  assert.match(again.out, /\n\/plugin_data\/valid_interfaces\/eth0\/is_added +true +false\n$/);
  assert.equal((await run(['reprocess', 'a-node'], environment)).out, 'Nothing changes.\n');
  await assert.rejects(run(['reprocess', 'nobody'], environment), /refused with 404: .*nobody/);
});

test('replay processes a file without a daemon, for a new or an existing node', async (t) => {
  const { stateDirectory, services, uuid } = await daemonWithNode(t);
  const write = files(t);
  const report = write('report.json', JSON.stringify({ inventory, racks: { row: 3 }, logs: 'bG9n' }));
  const rules = write('rules.yaml', RULES);
  const environment = {
    IRONIC_DEFAULT__STATE_PATH: stateDirectory,
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'fake-hardware',
  };
  const asNew = await run(['replay', report, '--rules', rules], environment);
  assert.equal(asNew.code, 0, asNew.errors);
  assert.doesNotMatch(asNew.out, /node\/extra|logs/);
  assert.match(asNew.errors, /^info: api-call to http:\/\/192\.0\.2\.1\/seen: not made in a dry run\n$/);
  const ofNode = await run(['replay', report, '--rules', rules, '--node', 'a-node'], environment);
  assert.match(ofNode.out, /\/node\/extra\/row +- +3\n/);
  assert.match(ofNode.errors, /^info: seen a-node\n/);
  assert.deepEqual([services.db.nodes.get(uuid)?.extra, services.db.ports.ofNode(uuid)], [{}, []]);

  const shown = write('shown.json', JSON.stringify({ inventory, plugin_data: { racks: { row: 5 } } }));
  const ofShown = await run(
    ['replay', shown, '--rules', rules, '--node', uuid, '--json', '--config-file', write('empty.conf', '')],
    environment,
  );
  assert.match(ofShown.out, /"path": "\/node\/extra\/row",\n\s+"after": "5"/);
});

test('replay reports unusable input and failed inspections, and wrong arguments print the usage', async (t) => {
  const { stateDirectory } = await daemonWithNode(t);
  const environment = { IRONIC_DEFAULT__STATE_PATH: stateDirectory };
  const write = files(t);
  const report = write('report.json', JSON.stringify({ inventory }));
  const refusals: readonly (readonly [readonly string[], RegExp])[] = [
    [[write('text.json', 'no json')], /neither a ramdisk.s report.*not valid JSON.*Expected a JSON object/],
    [[write('list.json', '[]')], /not of type object/],
    [[write('deep.json', '['.repeat(40))], /nested deeper than 25 levels/],
    [[join(stateDirectory, 'absent')], /ENOENT/],
    [[report, '--node', 'nobody'], /has no node with the UUID or name nobody/],
    [
      [report, '--rules', write('bad.yaml', '- {}')],
      /The file of --rules, .*bad\.yaml, cannot be used: .*rule 1/,
    ],
  ];
  for (const [args, reason] of refusals)
    await assert.rejects(run(['replay', ...args], environment), reason, args.join(' '));
  const elsewhere = { IRONIC_DEFAULT__STATE_PATH: join(stateDirectory, 'nowhere') };
  await assert.rejects(run(['replay', report, '--node', 'a-node'], elsewhere), /cannot be read/);

  const failing = write('failing.yaml', '- actions: [{op: fail, args: {msg: no such machine}}]');
  const failed = await run(['replay', report, '--rules', failing], environment);
  assert.deepEqual([failed.code, failed.out], [1, 'Nothing changes.\n']);
  assert.match(
    failed.errors,
    /^The inspection fails: Inspection rule \S+, action 1 \(fail\): no such machine\n$/,
  );

  for (const args of [
    [],
    ['replay'],
    ['show', 'x'],
    ['replay', report, '--dry-run'],
    ['reprocess', 'n', '--node', 'x'],
  ]) {
    const { code, errors } = await run(args);
    assert.equal(code, 2);
    assert.match(errors, /^usage: ironic-edge inspect reprocess/);
  }
});
