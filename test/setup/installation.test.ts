import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

test('npm ci says nothing of unsupported engines on the oldest Node.js that the README admits', (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'installation-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const name of ['package.json', 'package-lock.json', '.npmrc'])
    copyFileSync(name, path.join(folder, name));
  const older = path.join(folder, 'older.cjs');
  writeFileSync(older, "Object.defineProperty(process, 'version', { value: 'v20.17.0' });\n");
  const install = (...words: readonly string[]) =>
    spawnSync('npm', ['ci', '--dry-run', '--offline', '--no-audit', ...words], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: `--require ${older}` },
    });
  const { status, stdout, stderr } = install();
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^added \d+ packages/m);
  assert.doesNotMatch(stdout + stderr, /EBADENGINE|Unsupported engine/);
  assert.match(install('--loglevel=warn').stderr, /EBADENGINE/, 'without .npmrc, npm would warn');
});
