import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { backUp, backupsIn } from '../../../../daemon/db/copies/back-up.ts';
import { rehearseWith } from '../../../../daemon/db/copies/rehearse-with.ts';
import { restore } from '../../../../daemon/db/copies/restore.ts';
import { createDatabase } from '../../../../daemon/db/database.ts';
import { migrations } from '../../../../daemon/db/migrate.ts';
import { initialNode } from '../../../../daemon/model/records/node.ts';
import { fastDirectory } from '../../../fakes/daemon/in-process-daemon.ts';
import { downgrade } from '../../../fakes/daemon/downgrade.ts';

const TIME = new Date('2026-11-22T02:00:00.000Z');
const uuidAt = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

function newPlace(t: TestContext) {
  const directory = mkdtempSync(join(fastDirectory(), 'copies-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'ironic-edge.sqlite');
  return { directory, file, backups: join(directory, 'backups') };
}

function fill(file: string, nodes: number): void {
  const db = createDatabase(file);
  for (let index = 0; index < nodes; index += 1)
    db.nodes.insert(initialNode({ uuid: uuidAt(index), driver: 'fake-hardware', maintenance: index === 1 }));
  db.close();
}

function countNodes(file: string): number {
  const connection = new SqliteDatabase(file, { readonly: true });
  try {
    return Number(connection.prepare('SELECT count(*) FROM nodes').pluck().get());
  } finally {
    connection.close();
  }
}

/** The program of another process, which enrols nodes as fast as it can. */
const WRITER = `
import { createDatabase } from ${JSON.stringify(new URL('../../../../daemon/db/database.ts', import.meta.url).href)};
import { initialNode } from ${JSON.stringify(new URL('../../../../daemon/model/records/node.ts', import.meta.url).href)};
const db = createDatabase(process.argv[1]);
for (let index = 0; index < 5000; index += 1)
  db.nodes.insert(initialNode({ uuid: '00000000-0000-4000-8000-' + String(index).padStart(12, '0'), driver: 'd' }));
`;

describe('a backup', () => {
  it('made while another process writes is undamaged and holds all nodes that were stored before the backup began', async (t) => {
    const { file, backups } = newPlace(t);
    const writer = spawn(process.execPath, ['--input-type=module', '-e', WRITER, file], { stdio: 'inherit' });
    t.after(() => writer.kill('SIGKILL'));
    while (!existsSync(file)) await setTimeout(5);
    for (const round of [0, 1, 2]) {
      while (countNodes(file) < 50 * (round + 1)) await setTimeout(1);
      const before = countNodes(file);
      const time = new Date(TIME.getTime() + round * 1000);
      // backUp throws when the copy is damaged
      const copy = backUp(file, backups, { keep: 9, time });
      assert.ok(countNodes(copy.file) >= before, `${countNodes(copy.file)} of ${before}`);
    }
  });

  it('can be read by its owner only, and deletes the oldest backup when there are more than `keep`', (t) => {
    const { file, backups } = newPlace(t);
    fill(file, 1);
    for (const hours of [0, 1, 2]) {
      const time = new Date(TIME.getTime() + hours * 3_600_000);
      backUp(file, backups, { keep: 2, time });
    }
    assert.deepEqual(readdirSync(backups), [
      'ironic-edge-20261122T030000Z.sqlite',
      'ironic-edge-20261122T040000Z.sqlite',
    ]);
    for (const each of backupsIn(backups)) assert.equal(statSync(each).mode & 0o777, 0o600);
  });

  it('is refused when the database is damaged, and leaves no file behind', (t) => {
    const { file, backups } = newPlace(t);
    fill(file, 300);
    truncateSync(file, 40_960);
    assert.throws(() => backUp(file, backups, { keep: 2, time: TIME }));
    assert.deepEqual(readdirSync(backups), []);
  });
});

describe('a restore', () => {
  it('brings the records back, puts all nodes into quarantine and keeps the replaced database', (t) => {
    const { file, backups } = newPlace(t);
    fill(file, 3);
    const { file: copy } = backUp(file, backups, { keep: 1, time: TIME });
    const lost = createDatabase(file);
    lost.nodes.remove(uuidAt(0));
    lost.close();
    const { nodes, generation, before } = restore(copy, file, TIME);
    assert.deepEqual([nodes, generation], [3, 1]);
    assert.equal(countNodes(before ?? ''), 2);
    const db = createDatabase(file);
    t.after(() => db.close());
    assert.equal(db.quarantine.list().length, 3);
    const restored = db.nodes.get(uuidAt(0));
    assert.equal(restored?.maintenance, true);
    assert.match(
      restored?.maintenance_reason ?? '',
      /^quarantine: .*20261122T020000Z.*ironic-edge quarantine release/,
    );
    assert.deepEqual(
      db.quarantine.list().map(({ maintenance }) => maintenance),
      [false, true, false],
    );
  });

  it('gives the database a generation number above those of the backup and of the replaced database', (t) => {
    const { file, backups } = newPlace(t);
    fill(file, 1);
    const { file: copy } = backUp(file, backups, { keep: 1, time: TIME });
    const later = (minutes: number) => new Date(TIME.getTime() + minutes * 60_000);
    const generations = [1, 2, 3].map((minutes) => restore(copy, file, later(minutes)).generation);
    assert.deepEqual(generations, [1, 2, 3]);
  });

  it('gives other users no access to the database, and keeps the access that its group has', (t) => {
    const { file, backups } = newPlace(t);
    fill(file, 1);
    const { file: copy } = backUp(file, backups, { keep: 1, time: TIME });
    const elsewhere = join(backups, 'new.sqlite');
    restore(copy, elsewhere, TIME);
    assert.equal(statSync(elsewhere).mode & 0o777, 0o600);
    chmodSync(file, 0o640);
    restore(copy, file, TIME);
    assert.equal(statSync(file).mode & 0o777, 0o640);
  });

  it('does not change the maintenance reason of a node that was handed over to another service', (t) => {
    const { file, backups } = newPlace(t);
    fill(file, 2);
    const db = createDatabase(file);
    db.quarantine.handOver(uuidAt(1), { since: TIME.toISOString(), reason: 'moved', to: 'http://ironic' });
    db.close();
    const { file: copy } = backUp(file, backups, { keep: 1, time: TIME });
    restore(copy, file, TIME);
    const restored = createDatabase(file);
    t.after(() => restored.close());
    assert.equal(restored.nodes.get(uuidAt(1))?.maintenance_reason, 'moved');
    assert.match(restored.nodes.get(uuidAt(0))?.maintenance_reason ?? '', /^quarantine: /);
  });

  it('is refused while a daemon uses the database', (t) => {
    const { file, backups } = newPlace(t);
    fill(file, 1);
    const { file: copy } = backUp(file, backups, { keep: 1, time: TIME });
    const running = createDatabase(file);
    t.after(() => running.close());
    assert.throws(() => restore(copy, file, TIME), /in use by another ironic-edge/);
    assert.equal(running.nodes.get(uuidAt(0))?.maintenance, false);
  });

  it('refuses a damaged, newer, foreign or missing file with the reason, and changes nothing', (t) => {
    const { directory, file, backups } = newPlace(t);
    fill(file, 300);
    const { file: copy } = backUp(file, backups, { keep: 1, time: TIME });
    const damaged = join(directory, 'damaged.sqlite');
    copyFileSync(copy, damaged);
    truncateSync(damaged, 40_960);
    const newer = join(directory, 'newer.sqlite');
    copyFileSync(copy, newer);
    chmodSync(newer, 0o600);
    const connection = new SqliteDatabase(newer);
    connection.pragma('user_version = 9999');
    connection.close();
    const foreign = join(directory, 'foreign.sqlite');
    new SqliteDatabase(foreign).exec('CREATE TABLE t (x)').close();
    // a reader may leave an empty write-ahead log behind
    const entriesNow = () =>
      readdirSync(directory)
        .filter((name) => !/-(wal|shm)$/.test(name))
        .toSorted();
    const entries = entriesNow();
    assert.throws(() => restore(damaged, file, TIME), /cannot be restored: .*Try an older backup/s);
    assert.throws(() => restore(newer, file, TIME), /version 9999/);
    assert.throws(() => restore(foreign, file, TIME), /not a database of ironic-edge/);
    assert.throws(() => restore(join(directory, 'none'), file, TIME), /no such file/);
    assert.deepEqual(entriesNow(), entries);
    assert.equal(countNodes(file), 300);
  });
});

describe('a rehearsal', () => {
  it('migrates a copy of an older database, and leaves the original as it is', (t) => {
    const { directory, file } = newPlace(t);
    fill(file, 2);
    downgrade(file, 9);
    const { from, to, rows } = rehearseWith(file);
    assert.deepEqual([from, to, rows['nodes'], rows['site']], [9, migrations().length, 2, 0]);
    const after = new SqliteDatabase(file, { readonly: true });
    assert.equal(after.pragma('user_version', { simple: true }), 9);
    after.close();
    assert.deepEqual(
      readdirSync(directory).filter((name) => name.startsWith('rehearsal')),
      [],
    );
  });

  it('throws the error of a migration that fails, and leaves the database as it is', (t) => {
    const { file } = newPlace(t);
    fill(file, 1);
    const connection = new SqliteDatabase(file);
    // the tables of the migrations after version 9 exist already
    connection.pragma('user_version = 9');
    connection.close();
    assert.throws(() => rehearseWith(file), /already exists/);
    assert.equal(countNodes(file), 1);
    assert.ok(existsSync(file));
  });
});
