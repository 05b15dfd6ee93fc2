import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { columnsOf } from '../../../daemon/db/tables/rows.ts';
import { beforeMigrationOf, migrate, migrations } from '../../../daemon/db/migrate.ts';
import { downgrade } from '../../fakes/daemon/downgrade.ts';
import { createDatabase } from '../../../daemon/db/database.ts';
import { openDatabase } from '../../../daemon/db/open.ts';
import { allocationFields } from '../../../daemon/model/records/allocation.ts';
import { biosSettingFields } from '../../../daemon/model/records/bios-setting.ts';
import { chassisFields } from '../../../daemon/model/records/chassis.ts';
import { conductorFields } from '../../../daemon/model/records/conductor-record.ts';
import { type FieldTable, storageOf } from '../../../daemon/model/records/fields.ts';
import { firmwareComponentFields } from '../../../daemon/model/records/firmware-component.ts';
import { hardwareInterfaceFields } from '../../../daemon/model/records/hardware-interface.ts';
import { imageFields } from '../../../daemon/model/instance/image.ts';
import { hardwareClassFields } from '../../../daemon/model/hardware/hardware-class.ts';
import { profileFields } from '../../../daemon/model/instance/profile.ts';
import { inspectionRuleFields } from '../../../daemon/model/rules/inspection-rule.ts';
import {
  classOf,
  type ProvisionState,
  provisionStates,
} from '../../../daemon/model/states/provision-states.ts';
import { historyFields } from '../../../daemon/model/records/node-history.ts';
import { initialNode, nodeFields } from '../../../daemon/model/records/node.ts';
import { portFields } from '../../../daemon/model/records/port.ts';
import { portgroupFields } from '../../../daemon/model/records/portgroup.ts';
import { deployTemplateFields, runbookFields } from '../../../daemon/model/steps/step-lists.ts';
import { expectedMachineFields } from '../../../daemon/model/zero-touch/expected-machine.ts';
import { foundBmcFields } from '../../../daemon/model/zero-touch/found-bmc.ts';
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
  images: imageFields,
  profiles: profileFields,
  expected_machines: expectedMachineFields,
  found_bmcs: foundBmcFields,
  hardware_classes: hardwareClassFields,
  inspection_rules: inspectionRuleFields,
  node_bios_settings: biosSettingFields,
  node_firmware_components: firmwareComponentFields,
  portgroups: portgroupFields,
  runbooks: runbookFields,
  volume_connectors: volumeConnectorFields,
  volume_targets: volumeTargetFields,
};
const NUMBERS = new Set([
  'duration_seconds',
  'boot_index',
  'min_disk_gib',
  'bytes',
  'priority',
  'cpus',
  'cores',
  'threads',
  'memory_mib',
  'memory_tolerance_percent',
  'disk_tolerance_percent',
  'unit',
]);

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
      'bmc_logins',
      'dhcp6_leases',
      'dhcp_leases',
      'dhcp_rivals',
      'events',
      'ignored_machines',
      'machine_events',
      'network_boots',
      'node_hardware',
      'node_inventory',
      'pending_bmc_passwords',
      'quarantined_nodes',
      'sensor_buckets',
      'sensor_histories',
      'site',
      'site_keys',
      'tried_bmc_logins',
      'user_sessions',
      'user_tokens',
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
  downgrade(path, 9);
  openDatabase(path).close();
  const copy = new Database(beforeMigrationOf(path), { readonly: true });
  assert.equal(copy.pragma('user_version', { simple: true }), 9);
  copy.close();
  assert.equal(statSync(beforeMigrationOf(path)).mode & 0o777, 0o600);
});

test('after the migration, nodes that wait already have a reason, and the others have none', (t) => {
  const path = temporaryPath(t);
  const db = createDatabase(path);
  const time = '2026-11-22T10:00:00.000+00:00';
  for (const state of provisionStates)
    db.nodes.insert(
      initialNode({ uuid: state.padEnd(36), provision_state: state, provision_updated_at: time }),
    );
  db.close();
  downgrade(path, 17);
  const { connection, close } = openDatabase(path);
  const rows = connection.prepare('SELECT provision_state, wait FROM nodes').all() as {
    provision_state: ProvisionState;
    wait: string;
  }[];
  close();
  for (const { provision_state: state, wait } of rows) {
    const { for: who, since } = JSON.parse(wait) as Record<string, string>;
    const expected = {
      wait: 'agent',
      hold: 'operator',
      stable: undefined,
      transient: undefined,
      failed: undefined,
    };
    const party = expected[classOf(state)];
    assert.deepEqual([who, since], [party, party && time], state);
  }
});

test(
  'a full disk leaves no copy of a database that cannot be copied, keeps the older copy, and changes nothing',
  { skip: process.getuid?.() !== 0 && 'only root can mount a small disk' },
  (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'ironic-edge-full-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder]);
    t.after(() => {
      execFileSync('umount', [folder]);
      rmSync(folder, { recursive: true });
    });
    const file = join(folder, 'full.sqlite');
    openDatabase(file).close();
    const old = new Database(file);
    old.pragma('user_version = 9');
    old.close();
    const copy = beforeMigrationOf(file);
    writeFileSync(copy, 'the copy of an older release');
    const { bavail, bsize } = statfsSync(folder);
    writeFileSync(join(folder, 'ballast'), Buffer.alloc((bavail - 10) * bsize));
    assert.throws(
      () => openDatabase(file),
      /cannot be copied to .*before-migration.*make room and start again/s,
    );
    assert.equal(readFileSync(copy, 'utf8'), 'the copy of an older release');
    assert.ok(!existsSync(`${copy}.part`));
    const still = new Database(file, { readonly: true });
    assert.equal(still.pragma('user_version', { simple: true }), 9);
    still.close();
  },
);

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
