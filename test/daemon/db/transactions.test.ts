import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { transactionsOf } from '../../../daemon/db/transactions.ts';

/** A database with a table of texts, and what another program sees in it. */
function texts(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'ironic-edge-test-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'texts.sqlite');
  const connection = new Database(path);
  connection.pragma('journal_mode = WAL');
  connection.exec('CREATE TABLE texts (text TEXT UNIQUE)');
  const other = new Database(path, { timeout: 0 });
  t.after(() => [connection, other].map((each) => each.close()));
  return {
    connection,
    other,
    ...transactionsOf(connection),
    insert: (text: string) => connection.prepare('INSERT INTO texts VALUES (?)').run(text).changes,
    seen: () => other.prepare('SELECT text FROM texts').pluck().all(),
  };
}

test('work of one turn is stored together, without what work that throws has changed', async (t) => {
  const db = texts(t);
  const { insert, seen } = db;
  const done: string[] = [];
  const write = (text: string) =>
    db.together(() => {
      assert.deepEqual(seen(), [], 'nothing is stored before all of it is');
      db.afterCommit(() => void done.push(text));
      return insert(text);
    });
  const ends = await Promise.allSettled([write('a'), write('b'), write('a'), write('c')]);
  assert.deepEqual(
    ends.map((end) => (end.status === 'fulfilled' ? end.value : String(end.reason))),
    [1, 1, 'SqliteError: UNIQUE constraint failed: texts.text', 1],
  );
  assert.deepEqual(
    [seen(), done],
    [
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ],
  );
});

test('work that is asked for by other work, and work of the next turn, is stored too', async (t) => {
  const db = texts(t);
  const { insert, seen } = db;
  const inner: Promise<number>[] = [];
  await db.together(() => void inner.push(db.together(() => insert('inner'))));
  await Promise.all(inner);
  await db.together(() => insert('next'));
  assert.deepEqual(seen(), ['inner', 'next']);
});

test('all work of a turn rejects when nothing can be written, and the next turn is stored', async (t) => {
  const db = texts(t);
  const { connection, other, insert, seen } = db;
  connection.pragma('busy_timeout = 0');
  other.exec('BEGIN IMMEDIATE');
  const ends = await Promise.allSettled(['a', 'b'].map((text) => db.together(() => insert(text))));
  assert.deepEqual(
    ends.map((end) => end.status === 'rejected' && String(end.reason)),
    Array.from({ length: 2 }, () => 'SqliteError: database is locked'),
  );
  other.exec('ROLLBACK');
  await db.together(() => insert('c'));
  assert.deepEqual(seen(), ['c']);
});

test('work that ends the transaction of its turn, as SQLite does on some failures, stores nothing of the turn', async (t) => {
  const db = texts(t);
  const { connection, insert, seen } = db;
  const done: string[] = [];
  const first = db.together(() => {
    db.afterCommit(() => void done.push('first'));
    insert('first');
  });
  const second = db.together(() => connection.exec("INSERT OR ROLLBACK INTO texts VALUES (NULL), ('first')"));
  const third = db.together(() => insert('third'));
  const ends = await Promise.allSettled([first, second, third]);
  assert.deepEqual(
    ends.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  );
  assert.deepEqual([seen(), done], [[], []]);
});
