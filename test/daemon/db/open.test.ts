import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { columnsOf } from '../../../daemon/db/columns.ts';
import { beforeMigrationOf, migrate, migrations } from '../../../daemon/db/migrate.ts';
import { openDatabase } from '../../../daemon/db/open.ts';
import { allocationFields } from '../../../daemon/model/records/allocation.ts';
import { biosSettingFields } from '../../../daemon/model/records/bios-setting.ts';
import { chassisFields } from '../../../daemon/model/records/chassis.ts';
import { conductorFields } from '../../../daemon/model/records/conductor-record.ts';
import { type FieldTable, storageOf } from '../../../daemon/model/records/fields.ts';
import { firmwareComponentFields } from '../../../daemon/model/records/firmware-component.ts';
import { hardwareInterfaceFields } from '../../../daemon/model/records/hardware-interface.ts';
import { inspectionRuleFields } from '../../../daemon/model/rules/inspection-rule.ts';
import { historyFields } from '../../../daemon/model/records/node-history.ts';
import { nodeFields } from '../../../daemon/model/records/node.ts';
import { portFields } from '../../../daemon/model/records/port.ts';
import { portgroupFields } from '../../../daemon/model/records/portgroup.ts';
import { deployTemplateFields, runbookFields } from '../../../daemon/model/steps/step-lists.ts';
import { volumeConnectorFields, volumeTargetFields } from '../../../daemon/model/records/volume.ts';

function temporaryPath(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'ironic-edge-db-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, 'deep', 'er', 'state.sqlite');
}

const tables: Readonly<Record<string, FieldTable>> = {
  nodes: nodeFields,
  ports: portFields,
  node_history: historyFields,
  conductors: conductorFields,
  conductor_hardware_interfaces: hardwareInterfaceFields,
  allocations: allocationFields,
  chassis: chassisFields,
  deploy_templates: deployTemplateFields,
  inspection_rules: inspectionRuleFields,
  node_bios_settings: biosSettingFields,
  node_firmware_components: firmwareComponentFields,
  portgroups: portgroupFields,
  runbooks: runbookFields,
  volume_connectors: volumeConnectorFields,
  volume_targets: volumeTargetFields,
};
const NUMBERS = new Set(['duration_seconds', 'boot_index', 'priority']);

test('each table whose fields are declared has exactly the declared columns with the declared types', (t) => {
  const { connection, close } = openDatabase(temporaryPath(t));
  for (const [table, fields] of Object.entries(tables)) {
    const rows = connection.pragma(`table_info(${table})`) as { name: string; type: string }[];
    const real = Object.fromEntries(
      rows.filter(({ name }) => name !== 'id').map(({ name, type }) => [name, type]),
    );
    const declared = Object.fromEntries(
      columnsOf(fields).names.map((name) => {
        const isInteger = NUMBERS.has(name) || storageOf(fields[name] ?? assert.fail()) === 'flag';
        return [name, isInteger ? 'INTEGER' : 'TEXT'];
      }),
    );
    assert.deepEqual(real, declared, table);
  }
  close();
});

test('tables are strict, and the database uses WAL, full synchronisation and foreign keys', (t) => {
  const { connection, close } = openDatabase(temporaryPath(t));
  const list = connection.pragma('table_list') as { name: string; strict: number; schema: string }[];
  const own = list.filter(({ name, schema }) => schema === 'main' && !name.startsWith('sqlite_'));
  assert.deepEqual(
    own.map(({ name }) => name).toSorted(),
    [
      ...Object.keys(tables),
      'dhcp_leases',
      'dhcp_rivals',
      'events',
      'ignored_machines',
      'machine_events',
      'network_boots',
      'node_inventory',
      'quarantined_nodes',
      'site',
      'webhooks',
      'work_times',
    ].toSorted(),
  );
  assert.ok(own.every(({ strict }) => strict === 1));
  const pragma = (name: string) => connection.pragma(name, { simple: true });
  assert.deepEqual([pragma('journal_mode'), pragma('synchronous'), pragma('foreign_keys')], ['wal', 2, 1]);
  close();
});

test('migrations are numbered without gaps and run once', (t) => {
  const versions = migrations().map(({ version }) => version);
  assert.deepEqual(
    versions,
    versions.map((_, at) => at + 1),
  );
  const path = temporaryPath(t);
  openDatabase(path).close();
  const { connection, close } = openDatabase(path);
  assert.equal(connection.pragma('user_version', { simple: true }), versions.length);
  close();
});

test('before a migration the database is copied, so that the previous release can go on with the copy', (t) => {
  const path = temporaryPath(t);
  openDatabase(path).close();
  assert.ok(!existsSync(beforeMigrationOf(path)), 'a new database is not copied');
  const old = new Database(path);
  old.exec('DROP TABLE site; DROP TABLE quarantined_nodes; DROP INDEX events_sensors;');
  old.exec('DROP TABLE work_times; DROP TABLE ignored_machines; DROP TABLE dhcp_rivals;');
  old.pragma('user_version = 9');
  old.close();
  openDatabase(path).close();
  const copy = new Database(beforeMigrationOf(path), { readonly: true });
  assert.equal(copy.pragma('user_version', { simple: true }), 9);
  copy.close();
  assert.equal(statSync(beforeMigrationOf(path)).mode & 0o777, 0o600);
});

test('a database of a newer daemon is rejected and not changed', (t) => {
  const path = temporaryPath(t);
  const { connection, close } = openDatabase(path);
  connection.pragma('user_version = 999');
  close();
  for (const _ of [1, 2]) assert.throws(() => openDatabase(path), /schema version 999.*Install the version/);
  const direct = new Database(path);
  assert.throws(() => migrate(direct), /999/);
  direct.close();
});

test('a second daemon cannot open the database while the first one is running', (t) => {
  const path = temporaryPath(t);
  const first = openDatabase(path);
  assert.throws(() => openDatabase(path), /in use by another ironic-edge/);
  first.close();
  openDatabase(path).close();
  assert.ok(readdirSync(join(path, '..')).includes('state.sqlite'));
});

test('the schema rejects invalid records', (t) => {
  const { connection, close } = openDatabase(temporaryPath(t));
  const bad = [
    "INSERT INTO node_inventory VALUES ('none', 'now', '{}', '{}')",
    "INSERT INTO conductors VALUES ('h', '', '[]', 2, 'a', 'a')",
    "INSERT INTO conductors VALUES ('h', '', '{}', 1, 'a', 'a')",
    "INSERT INTO conductors VALUES ('h', '', '[', 1, 'a', 'a')",
    "INSERT INTO conductors VALUES ('h', NULL, '[]', 1, 'a', 'a')",
  ];
  for (const sql of bad) assert.throws(() => connection.exec(sql), /constraint|malformed JSON/i, sql);
  close();
});

test('a directory that cannot be created is reported with the options that set it', () => {
  assert.throws(() => openDatabase('/dev/null/state/ironic-edge.sqlite'), {
    message:
      /^The directory \/dev\/null\/state cannot be created \(\[DEFAULT\] state_path, \[database\] path\): ENOTDIR/,
  });
});

test('a file that is not a database is reported with advice', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ironic-edge-test-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'ironic-edge.sqlite');
  writeFileSync(path, 'not a database, and long enough to be looked at as one');
  assert.throws(() => openDatabase(path), {
    message: new RegExp(
      `^The database ${path} cannot be used .*: file is not a database\\. .*restore a backup`,
    ),
  });
});
