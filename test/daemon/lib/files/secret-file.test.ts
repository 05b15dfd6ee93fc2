import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { readSecretFile } from '../../../../daemon/lib/files/secret-file.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'secret-file-'));
after(() => rmSync(directory, { recursive: true }));
const file = path.join(directory, 'secret');
writeFileSync(file, 'sésame\n');

test('a file that only its owner and group can access is read', () => {
  for (const mode of [0o400, 0o600, 0o640, 0o660]) {
    chmodSync(file, mode);
    assert.equal(readSecretFile(file), 'sésame\n', mode.toString(8));
  }
});

test('a world-readable or world-writable file is refused with the chmod command to run', () => {
  for (const mode of [0o644, 0o602, 0o666]) {
    chmodSync(file, mode);
    assert.throws(() => readSecretFile(file), {
      message: `${file} is open to every user of this host (mode ${mode.toString(8)}); run: chmod 640 ${file}`,
    });
  }
});

test('a missing file is named in the error', () => {
  assert.throws(() => readSecretFile(`${file}-not`), /ENOENT.*secret-not/);
});
