// The service file by the judgement of systemd's own tools.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { skipWithout } from '../setup/packages.ts';

const root = path.join(import.meta.dirname, '..', '..');
const skip = skipWithout('systemd');

interface Verdict {
  readonly status: number | null;
  readonly text: string;
}

/** What systemd-analyze says of the unit, with the program it starts looked for in this tree. */
function analyze(words: readonly string[], change = (unit: string) => unit): Verdict {
  const folder = mkdtempSync(path.join(tmpdir(), 'unit-'));
  const file = path.join(folder, 'ironic-edge.service');
  try {
    const unit = readFileSync(path.join(root, 'systemd', 'ironic-edge.service'), 'utf8');
    writeFileSync(file, change(unit.replace('ExecStart=/opt/ironic-edge/', `ExecStart=${root}/`)));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', [...words, file], { encoding: 'utf8' });
    return { status, text: stdout + stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const complaints = ({ text }: Verdict) =>
  text.split('\n').filter((line) => line.includes('ironic-edge.service'));

test('the service file is free of mistakes and starts a program that exists', { skip }, () => {
  const verdict = analyze(['verify']);
  assert.deepEqual([verdict.status, complaints(verdict)], [0, []]);
});

test('a misspelt setting or a missing program would be noticed', { skip }, () => {
  const misspelt = analyze(['verify'], (unit) => unit.replace('NoNewPrivileges', 'NoNewPriviliges'));
  assert.match(complaints(misspelt).join(), /NoNewPriviliges/);
  const missing = analyze(['verify'], (unit) => unit.replace('cli/ironic-edge serve', 'cli/no-such-program'));
  assert.match(complaints(missing).join(), /no-such-program/);
});

test('the exposure of the service stays at 2.0 or below', { skip }, () => {
  const { status, text } = analyze(['security', '--offline=true', '--threshold=20', '--no-pager']);
  const [, exposure] = /Overall exposure level for ironic-edge\.service: ([\d.]+)/.exec(text) ?? [];
  assert.equal(status, 0, text);
  assert.ok(Number(exposure) <= 2, text);
});

test('the service runs as the user that sysusers makes', { skip }, () => {
  const sysusers = path.join(root, 'systemd', 'ironic-edge.sysusers');
  execFileSync('systemd-sysusers', ['--dry-run', sysusers], { stdio: 'pipe' });
  const [, user] = /^u (\S+) /m.exec(readFileSync(sysusers, 'utf8')) ?? [];
  assert.match(
    readFileSync(path.join(root, 'systemd', 'ironic-edge.service'), 'utf8'),
    new RegExp(`^User=${user}$`, 'm'),
  );
});
