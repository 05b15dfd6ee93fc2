import assert from 'node:assert/strict';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openDatabase } from '../../../daemon/db/open.ts';

function folder(t: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), 'ironic-edge-test-'));
  t.after(() => rmSync(made, { recursive: true }));
  // a mode that an operator might use
  chmodSync(made, 0o755);
  return made;
}

const FILES = ['', '-wal', '-shm', '.lock'];
const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

test('the files of a new database have mode 600 with any umask', (t) => {
  const umask = process.umask(0);
  t.after(() => void process.umask(umask));
  const path = join(folder(t), 'ironic-edge.sqlite');
  const warnings: string[] = [];
  const { connection, close } = openDatabase(path, (warning) => warnings.push(warning));
  connection.exec("INSERT INTO conductors VALUES ('h', '', '[]', 1, 'a', 'a')");
  for (const suffix of FILES) assert.equal(modeOf(path + suffix), '600', suffix);
  assert.deepEqual(warnings, []);
  close();
});

test('a world-readable database gets mode 600 with a warning, and a group-readable one keeps its mode', (t) => {
  const path = join(folder(t), 'ironic-edge.sqlite');
  openDatabase(path).close();
  chmodSync(path, 0o644);
  const warnings: string[] = [];
  openDatabase(path, (warning) => warnings.push(warning)).close();
  assert.equal(modeOf(path), '600');
  assert.deepEqual(warnings, [
    `${path} was open to every user of this host (mode 644) and has been closed to others (mode 600).`,
  ]);
  chmodSync(path, 0o640);
  const { close } = openDatabase(path, assert.fail);
  assert.deepEqual([modeOf(path), modeOf(`${path}-wal`)], ['640', '640']);
  close();
});

const addConductor = "INSERT INTO conductors VALUES ('h', '', '[]', 1, 'a', 'a')";

/** The state after a crash: a database whose last change is only in its write-ahead log. */
function crashed(t: TestContext): string {
  const here = folder(t);
  const [live, path] = [join(here, 'live.sqlite'), join(here, 'ironic-edge.sqlite')];
  const { connection, close } = openDatabase(live);
  connection.exec(addConductor);
  for (const suffix of ['', '-wal', '.lock']) copyFileSync(live + suffix, path + suffix);
  close();
  return path;
}

test('a write-ahead log is read after a crash', (t) => {
  const { connection, close } = openDatabase(crashed(t));
  assert.equal(connection.prepare('SELECT hostname FROM conductors').pluck().get(), 'h');
  close();
});

test('an empty database file is rejected while a lock file exists', (t) => {
  const path = crashed(t);
  rmSync(`${path}-wal`);
  truncateSync(path);
  for (const _ of [1, 2])
    assert.throws(() => openDatabase(path), {
      message: `The database ${path} is empty, but ${path}.lock shows that there was one ([database] path). Restore a backup of it; or move ${path}, ${path}-wal and ${path}.lock away to start without any nodes.`,
    });
  assert.equal(statSync(path).size, 0);
  rmSync(`${path}.lock`);
  openDatabase(path).close();
});

test('a write-ahead log without a database is rejected; without either, a database is created', (t) => {
  const path = crashed(t);
  rmSync(path);
  assert.throws(() => openDatabase(path), /is missing, but .*-wal shows that there was one/);
  rmSync(`${path}-wal`);
  openDatabase(path).close();
});

test('a damaged write-ahead log is rejected and kept', (t) => {
  const damages: readonly ((log: Buffer) => Buffer)[] = [
    () => Buffer.from('garbage'.repeat(100)),
    () => Buffer.from('x'),
    // one bit of the salt, which identifies the log
    (log) => Buffer.from(log.map((octet, at) => (at === 17 ? octet ^ 1 : octet))),
    (log) => log.subarray(0, 20),
  ];
  for (const damage of damages) {
    const path = crashed(t);
    writeFileSync(`${path}-wal`, damage(readFileSync(`${path}-wal`)));
    assert.throws(() => openDatabase(path), {
      message: new RegExp(`^The database ${path} has lost its last changes .*Restore a backup`),
    });
    assert.ok(existsSync(`${path}-wal`));
  }
});

test('a write-ahead log of zeros does not prevent the start', (t) => {
  const path = crashed(t);
  writeFileSync(`${path}-wal`, Buffer.alloc(4096));
  openDatabase(path).close();
});

test('the files of an interrupted first start do not prevent the next start', (t) => {
  const path = join(folder(t), 'ironic-edge.sqlite');
  writeFileSync(`${path}.lock`, '');
  writeFileSync(`${path}.new`, 'half a database');
  writeFileSync(`${path}.new-wal`, 'half a log');
  openDatabase(path).close();
  assert.equal(existsSync(`${path}.new`), false);
});
