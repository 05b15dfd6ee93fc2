import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { faultAnswer } from '../../../daemon/api/fault-response.ts';
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

test('a full disk is told as such, to be tried again when there is room', () => {
  const full = new Database(':memory:');
  full.exec('CREATE TABLE t (x TEXT)');
  full.pragma('max_page_count = 2');
  const error = thrownBy(() => full.prepare('INSERT INTO t VALUES (?)').run('x'.repeat(100_000)));
  const { status, text } = faultAnswer(error, fakeLogger(), 'req-1');
  assert.equal(status, 503);
  assert.match(text ?? '', /database or disk is full.*Make room on the disk that \[database\] path lies on/);
});

test('what is no fault of the disk is none of its failures', () => {
  const database = new Database(':memory:');
  assert.equal(writeFailure(thrownBy(() => database.exec('garbage'))), undefined);
  assert.equal(writeFailure(new Error('database or disk is full')), undefined);
});
