// The service file by the judgement of systemd's own tools.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { skipWithout } from '../setup/packages.ts';

const root = path.join(import.meta.dirname, '..', '..');
const skip = skipWithout('systemd');

/** The unit as installed from this tree, so that the program it starts is found. */
function analyze(...words: readonly string[]): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'ironic-edge-'));
  const unit = path.join(folder, 'ironic-edge.service');
  try {
    const text = readFileSync(path.join(root, 'systemd', 'ironic-edge.service'), 'utf8');
    writeFileSync(unit, text.replace('ExecStart=/opt/ironic-edge/', `ExecStart=${root}/`));
    return execFileSync('systemd-analyze', [...words, unit], { encoding: 'utf8', stdio: 'pipe' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('the service file is free of mistakes and starts a program that exists', { skip }, () => {
  assert.doesNotMatch(analyze('verify'), /ironic-edge/);
});

test('the exposure of the service stays at 2.0 or below', { skip }, () => {
  const verdict = analyze('security', '--offline=true', '--threshold=20', '--no-pager');
  const [, exposure] = /Overall exposure level for ironic-edge\.service: ([\d.]+)/.exec(verdict) ?? [];
  assert.ok(Number(exposure) <= 2, verdict);
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
