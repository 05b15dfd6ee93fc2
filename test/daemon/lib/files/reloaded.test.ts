import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { reloaded } from '../../../../daemon/lib/files/reloaded.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'reloaded-'));
after(() => rmSync(directory, { recursive: true }));

function lengthOf(file: string) {
  const failures: string[] = [];
  let reads = 0;
  const current = reloaded(
    [file],
    () => {
      reads += 1;
      const text = readFileSync(file, 'utf8');
      if (text === 'broken') throw new Error('it is broken');
      return text.length;
    },
    (error) => failures.push((error as Error).message),
  );
  return { current, failures, reads: () => reads };
}

test('an unchanged file is read once', () => {
  const file = path.join(directory, 'unchanged');
  writeFileSync(file, 'four');
  const { current, reads } = lengthOf(file);
  assert.deepEqual([current(), current(), current(), reads()], [4, 4, 4, 1]);
});

test('a file is reread after it is written, replaced or relinked', () => {
  const file = path.join(directory, 'changing');
  writeFileSync(file, 'four');
  const { current } = lengthOf(file);
  writeFileSync(file, 'three');
  assert.equal(current(), 5);
  writeFileSync(`${file}.new`, 'eleven char');
  renameSync(`${file}.new`, file);
  assert.equal(current(), 11);
  writeFileSync(`${file}.target`, 'ab');
  symlinkSync(`${file}.target`, `${file}.link`);
  renameSync(`${file}.link`, file);
  assert.equal(current(), 2);
  writeFileSync(`${file}.target`, 'abc');
  assert.equal(current(), 3);
});

test('a file is reread after a change of its mode', () => {
  const file = path.join(directory, 'mode');
  writeFileSync(file, 'four', { mode: 0o644 });
  const { current, reads } = lengthOf(file);
  chmodSync(file, 0o600);
  current();
  assert.equal(reads(), 2);
});

test('a broken or missing file is reported once and the last valid value stays in use', () => {
  const file = path.join(directory, 'breaking');
  writeFileSync(file, 'four');
  const { current, failures } = lengthOf(file);
  writeFileSync(file, 'broken');
  assert.deepEqual([current(), current(), failures], [4, 4, ['it is broken']]);
  rmSync(file);
  assert.deepEqual([current(), current(), failures.length], [4, 4, 2]);
  assert.match(failures[1] ?? '', /ENOENT/);
  writeFileSync(file, 'three');
  assert.deepEqual([current(), failures.length], [5, 2]);
});

test('a failing first read throws', () => {
  assert.throws(() => lengthOf(path.join(directory, 'never-there')), /ENOENT/);
});
