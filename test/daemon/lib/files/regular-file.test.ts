import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readRegularFile } from '../../../../daemon/lib/files/regular-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'regular-file-'));
after(() => rmSync(folder, { recursive: true }));
const file = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

test('a file up to the size limit is read, also through a symlink', async () => {
  const path = file('exact', 'é'.repeat(512));
  assert.equal(await readRegularFile(path, 1024), 'é'.repeat(512));
  symlinkSync(path, join(folder, 'link'));
  assert.equal(await readRegularFile(join(folder, 'link'), 1024), 'é'.repeat(512));
  assert.equal(await readRegularFile(file('empty', ''), 1024), '');
  await assert.rejects(readRegularFile(path, 1023), /exact is larger than/);
});

test('a file that reports no size is read to its end within the limit', async () => {
  assert.match(await readRegularFile('/proc/self/status', 65_536), /^Name:/);
  await assert.rejects(readRegularFile('/proc/self/status', 10), /is larger than/);
});

test('anything but a regular file is refused', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  symlinkSync('/dev/zero', join(folder, 'zero'));
  for (const path of ['/dev/zero', '/dev/stdin', pipe, folder, join(folder, 'zero')])
    await assert.rejects(readRegularFile(path, 1024), { message: `${path} is not a regular file` });
  await assert.rejects(readRegularFile(join(folder, 'none'), 1024), /ENOENT/);
});
