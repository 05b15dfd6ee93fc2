import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { seal } from '../../../systemd/deb/seal.ts';

const SEAL = { version: '1.2.0', architecture: 'amd64', commitSeconds: 1_700_000_000 } as const;

/** A staged tree with a program, a link and the configuration file. */
function stageOf(t: TestContext, mode = 0o644): string {
  const stage = mkdtempSync(path.join(tmpdir(), 'seal-'));
  t.after(() => rmSync(stage, { recursive: true }));
  mkdirSync(path.join(stage, 'etc/ironic-edge'), { recursive: true });
  mkdirSync(path.join(stage, 'usr/bin'), { recursive: true });
  writeFileSync(path.join(stage, 'etc/ironic-edge/ironic.conf'), '[DEFAULT]\n', { mode });
  writeFileSync(path.join(stage, 'usr/bin/program'), '#!/bin/sh\n', { mode: 0o700 });
  symlinkSync('program', path.join(stage, 'usr/bin/link'));
  return stage;
}

const build = (stage: string): Buffer => {
  const file = path.join(stage, '..', `${path.basename(stage)}.deb`);
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zzstd', '--build', stage, file], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(SEAL.commitSeconds) },
  });
  const bytes = readFileSync(file);
  rmSync(file);
  return bytes;
};

test('trees that differ only in the mode of a file give equal packages; other content gives another package', (t) => {
  const [first, second] = [stageOf(t), stageOf(t, 0o600)];
  for (const stage of [first, second]) seal(stage, SEAL);
  assert.ok(build(first).equals(build(second)));
  writeFileSync(path.join(second, 'usr/bin/program'), 'other');
  assert.ok(!build(first).equals(build(second)));
});

test('programs are executable for everybody, and texts are not, whatever their modes were', (t) => {
  const stage = stageOf(t);
  writeFileSync(path.join(stage, 'usr/README.md'), 'a text', { mode: 0o755 });
  seal(stage, SEAL);
  const modes = ['usr/bin/program', 'usr/README.md'].map(
    (name) => statSync(path.join(stage, name)).mode & 0o777,
  );
  assert.deepEqual(modes, [0o755, 0o644]);
});

test('the checksums hold and cover every file, but neither links nor the control files', (t) => {
  const stage = stageOf(t);
  seal(stage, SEAL);
  execFileSync('md5sum', ['--check', '--strict', 'DEBIAN/md5sums'], { cwd: stage, stdio: 'ignore' });
  const names = readFileSync(path.join(stage, 'DEBIAN/md5sums'), 'utf8').match(/\S+$/gm);
  assert.deepEqual(names, ['etc/ironic-edge/ironic.conf', 'usr/bin/program']);
});

test('DEBIAN/control has the version, architecture and size; DEBIAN/conffiles names the configuration file', (t) => {
  const stage = stageOf(t);
  assert.equal(seal(stage, SEAL), 2);
  build(stage);
  const fields = ['Version', 'Architecture', 'Installed-Size'];
  const control = readFileSync(path.join(stage, 'DEBIAN/control'), 'utf8');
  const read = fields.map((field) =>
    new Map(control.split('\n').map((line) => line.split(': ', 2) as [string, string])).get(field),
  );
  assert.deepEqual(read, ['1.2.0', 'amd64', '2']);
  assert.equal(readFileSync(path.join(stage, 'DEBIAN/conffiles'), 'utf8'), '/etc/ironic-edge/ironic.conf\n');
});

test('the configuration folder has mode 750; programs and their folder have mode 755', (t) => {
  const stage = stageOf(t);
  seal(stage, SEAL);
  const modeOf = (name: string) => (statSync(path.join(stage, name)).mode & 0o777).toString(8);
  assert.deepEqual(['etc/ironic-edge', 'usr/bin', 'usr/bin/program'].map(modeOf), ['750', '755', '755']);
});
