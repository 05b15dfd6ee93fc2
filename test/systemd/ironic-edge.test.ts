// Checks the service files with systemd's own tools.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { skipWithout } from '../setup/packages.ts';

const root = path.join(import.meta.dirname, '..', '..');
const skip = skipWithout('systemd');
const read = (name: string) => readFileSync(path.join(root, 'systemd', name), 'utf8');
/** The unit with the program paths of this source tree. */
const here = (unit: string) => unit.replaceAll('/opt/ironic-edge/', `${root}/`);

interface Verdict {
  readonly status: number | null;
  readonly text: string;
}

/** The result of systemd-analyze on a folder with these files; the first one is the unit. */
function analyze(words: readonly string[], files: Readonly<Record<string, string>>): Verdict {
  const folder = mkdtempSync(path.join(tmpdir(), 'unit-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), text);
    }
    const unit = path.join(folder, Object.keys(files)[0] ?? '');
    const { status, stdout, stderr } = spawnSync('systemd-analyze', [...words, unit], {
      encoding: 'utf8',
      env: { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` },
    });
    return { status, text: stdout + stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const complaints = ({ text }: Verdict, name: string) =>
  text.split('\n').filter((line) => line.includes(name));

for (const [service, program, limit] of [
  ['ironic-edge.service', 'cli/ironic-edge serve', 2],
  ['ironic-pxe-filter.service', 'pxe-filter/ironic-pxe-filter serve', 1.5],
] as const) {
  test(`${service} is valid and starts an existing program`, { skip }, () => {
    const verdict = analyze(['verify'], { [service]: here(read(service)) });
    assert.deepEqual([verdict.status, complaints(verdict, service)], [0, []]);
  });

  test(`verification detects a misspelt setting and a missing program in ${service}`, { skip }, () => {
    const complaintsOf = (unit: string) =>
      complaints(analyze(['verify'], { [service]: here(unit) }), service).join();
    const unit = read(service);
    assert.match(complaintsOf(unit.replace('NoNewPrivileges', 'NoNewPriviliges')), /NoNewPriviliges/);
    assert.match(complaintsOf(unit.replace(program, 'no-such-program')), /no-such-program/);
  });

  test(`the exposure level of ${service} is at most ${limit}`, { skip }, () => {
    const words = ['security', '--offline=true', `--threshold=${limit * 10}`, '--no-pager'];
    const { status, text } = analyze(words, { [service]: here(read(service)) });
    const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(text) ?? [];
    assert.equal(status, 0, text);
    assert.ok(Number(exposure) <= limit, text);
  });

  test(`${service} is restarted, has a memory limit and writes no core dump`, () => {
    for (const setting of [/^Restart=(?:always|on-failure)$/m, /^MemoryMax=\d+[GM]$/m, /^LimitCORE=0$/m])
      assert.match(read(service), setting);
  });

  test(`${service} runs as the user that sysusers creates`, { skip }, () => {
    execFileSync('systemd-sysusers', ['--dry-run', path.join(root, 'systemd', 'ironic-edge.sysusers')], {
      stdio: 'pipe',
    });
    const [, user] = /^u (\S+) /m.exec(read('ironic-edge.sysusers')) ?? [];
    assert.match(read(service), new RegExp(`^User=${user}$`, 'm'));
  });
}

test('the dnsmasq drop-in is valid and starts an existing program', { skip }, () => {
  const dnsmasq = '[Service]\nExecStart=/bin/true\n';
  const dropIn = here(read('ironic-pxe-filter.dnsmasq.conf'));
  const [, program = ''] = /-- (\S+) purge$/m.exec(dropIn) ?? [];
  assert.ok(existsSync(program), dropIn);
  const verdictOf = (text: string) =>
    analyze(['verify'], { 'dnsmasq.service': dnsmasq, 'dnsmasq.service.d/ironic-pxe-filter.conf': text });
  assert.deepEqual(complaints(verdictOf(dropIn), 'dnsmasq.service'), []);
  const misspelt = verdictOf(dropIn.replace('ExecStartPre', 'ExecStartPrae'));
  assert.match(complaints(misspelt, 'dnsmasq.service').join(), /ExecStartPrae/);
});
