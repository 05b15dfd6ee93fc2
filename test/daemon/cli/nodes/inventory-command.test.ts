import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { inventoryCommand } from '../../../../daemon/cli/nodes/inventory-command.ts';
import { enrolNode, startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';

const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runCommand((context) => inventoryCommand(args, context), environment);

test('save prints the stored inventory or writes it to a file', async (t) => {
  const { url, services } = await startListening(t, {});
  const uuid = await enrolNode(url, { driver: 'fake-hardware', name: 'rack1' });
  const environment = { OS_ENDPOINT: url };
  await assert.rejects(run(['save', 'rack1'], environment), /404: Inventory for node .* was not found/);
  const stored = { inventory: { cpu: { count: 8 } }, plugin_data: { valid_interfaces: {} } };
  services.db.inventory.put(uuid, '2026-01-01T00:00:00+00:00', {
    inventory: JSON.stringify(stored.inventory),
    plugin_data: JSON.stringify(stored.plugin_data),
  });
  const printed = await run(['save', 'rack1'], environment);
  assert.deepEqual([printed.code, JSON.parse(printed.out)], [0, stored]);
  const folder = mkdtempSync(join(tmpdir(), 'inventory-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'rack1.json');
  const { code, out } = await run(['save', uuid, '--file', file], environment);
  assert.deepEqual([code, out, readFileSync(file, 'utf8')], [0, '', printed.out]);
  await assert.rejects(
    run(['save', uuid, '--file', join(file, 'in-it')], environment),
    /^Error: --file .* cannot be written: ENOTDIR.* Name a file in an existing directory/,
  );
});

test('wrong arguments print the usage and exit with code 2', async () => {
  for (const args of [[], ['save'], ['show', 'a'], ['save', 'a', 'b'], ['save', 'a', '--file']]) {
    const { code, out, errors } = await run(args);
    assert.deepEqual([code, out], [2, '']);
    assert.match(errors, /^usage: ironic-edge inventory save NODE/);
  }
});
