import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { skipWithout } from '../../../setup/packages.ts';

const COMMAND = path.join(import.meta.dirname, '../../../../daemon/cli/ironic-edge');

test(
  'each command has a manual page with the usages of all its commands',
  { skip: skipWithout('mandoc') },
  (t) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'manual-'));
    t.after(() => rmSync(folder, { recursive: true }));
    execFileSync(COMMAND, ['manual', folder]);
    const section = path.join(folder, 'man1');
    const files = readdirSync(section).map((name) => path.join(section, name));
    const help = execFileSync(COMMAND, ['help'], { encoding: 'utf8' });
    const refused = spawnSync(COMMAND, ['nothing'], { encoding: 'utf8' }).stderr;
    const names = /expected one of (.*)$/m.exec(refused)?.[1]?.split(', ') ?? [];
    assert.ok(names.includes('node') && help !== '');
    assert.deepEqual(
      files.map((file) => path.basename(file)).toSorted(),
      ['ironic-edge.1', ...names.map((name) => `ironic-edge-${name}.1`)].toSorted(),
    );
    const { status, stdout } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning', ...files], {
      encoding: 'utf8',
    });
    assert.deepEqual([status, stdout], [0, '']);
    const shown = execFileSync('mandoc', ['-T', 'markdown', path.join(section, 'ironic-edge-node.1')], {
      encoding: 'utf8',
    });
    for (const line of ['usage: ironic-edge node deploy NODE... [--config-drive FILE]', '--timeout SECONDS'])
      assert.ok(shown.includes(line), line);
    assert.ok(
      readFileSync(path.join(section, 'ironic-edge.1'), 'utf8').includes('the API cannot be reached'),
    );
  },
);
