import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createDatabase } from '../../../daemon/db/database.ts';

function fail(): never {
  throw new Error('rolled back');
}

test('an afterCommit action runs after the outermost commit, or at once if there is no transaction; a rollback drops it', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ironic-edge-test-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const db = createDatabase(join(folder, 'ironic-edge.sqlite'));
  t.after(() => db.close());
  const done: string[] = [];
  const note = (what: string) => db.afterCommit(() => void done.push(what));
  note('outside');
  assert.deepEqual(done, ['outside']);
  db.transaction(() => {
    note('outer');
    assert.throws(() =>
      db.transaction(() => {
        note('inner, rolled back');
        fail();
      }),
    );
    db.transaction(() => note('inner'));
    assert.deepEqual(done, ['outside']);
  });
  assert.deepEqual(done, ['outside', 'outer', 'inner']);
  assert.throws(() =>
    db.transaction(() => {
      note('rolled back');
      fail();
    }),
  );
  db.transaction(() => {});
  assert.deepEqual(done, ['outside', 'outer', 'inner']);
});
