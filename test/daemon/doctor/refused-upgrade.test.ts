import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { refusedUpgrade } from '../../../daemon/doctor/probes/refused-upgrade.ts';

test('a release that was refused is reported with the reason and the command that tries again', (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'refused-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'refused');
  assert.deepEqual(refusedUpgrade(file), []);
  writeFileSync(file, 'ironic-edge: no such table: nodes\n');
  const [finding, ...others] = refusedUpgrade(file);
  assert.deepEqual(others, []);
  assert.match(finding?.saw ?? '', /does not run: ironic-edge: no such table: nodes$/);
  assert.match(finding?.fix ?? '', new RegExp(`^${folder}/activate, `));
});
