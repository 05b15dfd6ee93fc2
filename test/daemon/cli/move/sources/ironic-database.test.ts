import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { readSecrets } from '../../../../../daemon/cli/move/sources/ironic-database.ts';

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'ironic-database-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Writes a database whose table has a column that is not read, as in any release of Ironic, and returns its path. */
function database(
  t: TestContext,
  ...nodes: readonly (readonly [uuid: string, driver_info: string | null])[]
): string {
  const file = path.join(folderOf(t), 'ironic.sqlite');
  const connection = new Database(file);
  connection.exec(
    'CREATE TABLE nodes (id INTEGER, uuid TEXT, driver_info TEXT, instance_info TEXT, future TEXT)',
  );
  const insert = connection.prepare(
    "INSERT INTO nodes (uuid, driver_info, instance_info) VALUES (?, ?, '{}')",
  );
  for (const node of nodes) insert.run(...node);
  connection.close();
  return file;
}

function configuration(t: TestContext, connection: string): string {
  const file = path.join(folderOf(t), 'ironic.conf');
  writeFileSync(file, `[api]\nport = 6385\n[database]\nconnection = ${connection}\n`);
  return file;
}

test('the secrets are read from a given database file, or from the database that a given ironic.conf names', async (t) => {
  const file = database(t, ['n1', '{"ipmi_password": "s\\u00e4cret"}'], ['n2', null]);
  for (const given of [
    file,
    configuration(t, `sqlite:///${file}`),
    configuration(t, `sqlite:///${file}?timeout=9`),
  ]) {
    const secrets = await readSecrets(given);
    assert.deepEqual(secrets.get('n1'), { driver_info: { ipmi_password: 'säcret' }, instance_info: {} });
    assert.deepEqual(secrets.get('n2'), { driver_info: {}, instance_info: {} });
  }
});

test('a database can be read while a running Ironic writes to it', async (t) => {
  const file = database(t, ['n1', '{}']);
  const writer = new Database(file);
  t.after(() => writer.close());
  writer.exec('BEGIN IMMEDIATE');
  assert.equal((await readSecrets(file)).size, 1);
});

test('a file from which no secrets can be read is refused with an error that holds no password', async (t) => {
  const folder = folderOf(t);
  const other = path.join(folder, 'other.sqlite');
  new Database(other).exec('CREATE TABLE songs (title TEXT)').close();
  const text = path.join(folder, 'notes.txt');
  writeFileSync(text, 'connection = x\n');
  const damaged = path.join(folder, 'damaged.sqlite');
  writeFileSync(damaged, `SQLite format 3\0${'x'.repeat(5000)}`);
  const secret = 'mysql+pymysql://ironic:hunter2@127.0.0.1:1/ironic';
  for (const [file, reason] of [
    [path.join(folder, 'none'), /--database .*none cannot be read: ENOENT/],
    [other, /other\.sqlite cannot be read as a database of Ironic: no such table: nodes/],
    [damaged, /damaged\.sqlite cannot be read as a database of Ironic: /],
    [
      text,
      /notes\.txt: expected Ironic's SQLite database, or its ironic\.conf with a URL in \[database\] connection/,
    ],
    [configuration(t, 'nothing'), /expected Ironic's SQLite database, or its ironic\.conf/],
    [configuration(t, 'postgresql://a:hunter2@b/c'), /is for postgresql; expected sqlite, mysql or mariadb/],
    [
      configuration(t, `sqlite:///${folder}/gone.sqlite`),
      /gone\.sqlite cannot be read as a database of Ironic/,
    ],
    [
      configuration(t, secret),
      /^Error: Ironic's database (?:cannot be read: .*127\.0\.0\.1|is read with the program)/,
    ],
    [database(t, ['n1', '{"a": ']), /has no JSON object as driver_info of node n1: correct it there/],
    [database(t, ['n1', '["a"]']), /has no JSON object as driver_info of node n1/],
  ] as const)
    await assert.rejects(readSecrets(file), (error) => {
      assert.match(String(error), reason);
      assert.doesNotMatch(String(error), /hunter2/);
      return true;
    });
});
