import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { faultAnswer } from '../../../daemon/http/answer.ts';
import { openDatabase } from '../../../daemon/db/open.ts';
import { writeFailure } from '../../../daemon/db/write-failure.ts';
import { fakeLogger } from '../../fakes/task.ts';

function thrownBy(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return assert.fail('nothing was thrown');
}

test('a full disk is answered with 503 and advice', () => {
  const full = new Database(':memory:');
  full.exec('CREATE TABLE t (x TEXT)');
  full.pragma('max_page_count = 2');
  const error = thrownBy(() => full.prepare('INSERT INTO t VALUES (?)').run('x'.repeat(100_000)));
  const { status, content } = faultAnswer(error, fakeLogger(), 'req-1');
  assert.equal(status, 503);
  assert.match(content, /database or disk is full.*Free space on the disk that holds \[database\] path/);
});

test('errors unrelated to the disk are not write failures', () => {
  const database = new Database(':memory:');
  assert.equal(writeFailure(thrownBy(() => database.exec('garbage'))), undefined);
  assert.equal(writeFailure(new Error('database or disk is full')), undefined);
});

test('a write during another write transaction is answered with 503, and a retry succeeds', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ironic-edge-test-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'ironic-edge.sqlite');
  const { connection, close } = openDatabase(path);
  t.after(close);
  assert.ok(Number(connection.pragma('busy_timeout', { simple: true })) <= 100);
  const other = new Database(path);
  other.exec('BEGIN IMMEDIATE');
  const write = () => connection.exec('DELETE FROM nodes');
  const { status, headers, content } = faultAnswer(thrownBy(write), fakeLogger(), 'req-1');
  assert.deepEqual([status, headers['retry-after']], [503, '2']);
  assert.match(content, /another program is writing to it/);
  other.close();
  write();
});
