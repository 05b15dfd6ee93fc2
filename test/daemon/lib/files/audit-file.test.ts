import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import {
  type AuditRecord,
  openAuditFile,
  readAuditFile,
  readNewestAudit,
} from '../../../../daemon/lib/files/audit-file.ts';

function fileOf(context: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'audit-'));
  context.after(() => rmSync(folder, { recursive: true }));
  return path.join(folder, 'state', 'audit.log');
}

const record = (number: number): AuditRecord => ({
  time: '2027-01-31T22:00:00.000Z',
  request_id: `req-${number}`,
  user: 'ann',
  client: '192.0.2.1',
  method: 'PATCH',
  path: `/v1/nodes/${'n'.repeat(60_000)}`,
  status: 200,
});

test('records are read back in order and only the owner may read the file', (context) => {
  const file = fileOf(context);
  const audit = openAuditFile(file, 1);
  for (const number of [1, 2]) audit.append(record(number));
  assert.deepEqual(readAuditFile(file), [record(1), record(2)]);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('the audit file rotates at its size limit and keeps the newest records', (context) => {
  const file = fileOf(context);
  const audit = openAuditFile(file, 1);
  for (let number = 0; number < 100; number += 1) audit.append(record(number));
  for (const name of [file, `${file}.1`]) assert.ok(statSync(name).size < 1.2 * 1_048_576);
  const kept = readAuditFile(file).map(({ request_id }) => request_id);
  assert.deepEqual(
    kept,
    Array.from({ length: kept.length }, (_, index) => `req-${100 - kept.length + index}`),
  );
  assert.ok(kept.length > 17);
});

test('the newest records are those of the last mebibyte, also just after a rotation', (context) => {
  const file = fileOf(context);
  const audit = openAuditFile(file, 1);
  assert.deepEqual(readNewestAudit(file), []);
  for (let number = 0; number < 100; number += 1) {
    audit.append(record(number));
    const newest = readNewestAudit(file);
    assert.deepEqual(newest.at(-1), record(number));
    const size = newest.reduce((sum, each) => sum + JSON.stringify(each).length, 0);
    assert.ok(
      size <= 1_048_576 && newest.length >= Math.min(number + 1, 8),
      `${newest.length} after ${number}`,
    );
  }
});

test('an incomplete line is skipped', (context) => {
  const file = fileOf(context);
  const audit = openAuditFile(file, 1);
  audit.append(record(1));
  appendFileSync(file, '{"time":"2027-0\n');
  audit.append(record(2));
  assert.deepEqual(readAuditFile(file), [record(1), record(2)]);
});

test('size 0 disables recording, and a missing file reads as no records', (context) => {
  const file = fileOf(context);
  openAuditFile(file, 0).append(record(1));
  assert.deepEqual(readAuditFile(file), []);
});
