// Checks the unit files with systemd's own tools.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { freeTcpPort } from '../../daemon/simulator/free-port.ts';
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

/** The result of systemd-analyze for the first of these files, in a folder with all of them. */
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

for (const name of ['ironic-edge-backup', 'ironic-edge-agent-image', 'ironic-edge-bmc-rotate'])
  test(`${name}.service and its timer are valid`, { skip }, () => {
    const [service, timer] = [`${name}.service`, `${name}.timer`];
    for (const [first, second] of [
      [service, timer],
      [timer, service],
    ] as const) {
      const verdict = analyze(['verify'], { [first]: here(read(first)), [second]: here(read(second)) });
      assert.deepEqual([verdict.status, complaints(verdict, name)], [0, []]);
    }
  });

for (const [service, program, limit] of [
  ['ironic-edge.service', 'cli/with-notify', 1.6],
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

  test(`${service} has settings for restarts, a memory limit and no core dump`, () => {
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

for (const [unit, instance, passed] of [
  ['ironic-edge-dhcp@.socket', 'eth1', 'dhcp-%i'],
  ['ironic-edge-proxydhcp@.socket', 'eth1', 'proxydhcp-%i'],
  ['ironic-edge-dhcp6@.socket', 'eth1', 'dhcp6-%i'],
  ['ironic-edge-dhcp-relay@.socket', '10.0.0.1', 'dhcp-relay'],
  ['ironic-edge-tftp@.socket', '10.0.0.1', 'tftp'],
  ['ironic-edge-boot-http@.socket', '10.0.0.1', 'boot-http'],
] as const) {
  test(`${unit} is valid and passes its socket to the daemon as ${passed}`, { skip }, () => {
    const name = unit.replace('@', `@${instance}`);
    const files = (text: string) => ({
      [name]: text,
      'ironic-edge.service': here(read('ironic-edge.service')),
    });
    assert.deepEqual(complaints(analyze(['verify'], files(read(unit))), 'ironic-edge'), []);
    const misspelt = analyze(
      ['verify'],
      files(read(unit).replace('FileDescriptorName', 'FileDescripterName')),
    );
    assert.match(complaints(misspelt, name).join(), /FileDescripterName/);
    assert.match(read(unit), new RegExp(`^FileDescriptorName=${passed}$`, 'm'));
  });
}

const security = (files: Readonly<Record<string, string>>) =>
  analyze(['security', '--offline=true', '--no-pager'], files).text;

test('ironic-edge.service has no capability, and its drop-in for low ports adds one', { skip }, () => {
  const service = here(read('ironic-edge.service'));
  assert.match(service, /^CapabilityBoundingSet=$/m);
  assert.doesNotMatch(service, /^AmbientCapabilities=/m);
  const dropIn = { 'ironic-edge.service.d/low-ports.conf': read('examples/ironic-edge.low-ports.conf') };
  assert.match(security({ 'ironic-edge.service': service, ...dropIn }), /✗ AmbientCapabilities=/);
  assert.match(security({ 'ironic-edge.service': service }), /✓ AmbientCapabilities=/);
});

test('the daemon serves the API and boot files on sockets that systemd passes', { skip }, async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'activated-'));
  const [api, boot] = [await freeTcpPort(), await freeTcpPort()];
  const child = spawn(
    'systemd-socket-activate',
    ['-l', `127.0.0.1:${api}`, '-l', `127.0.0.1:${boot}`, '--fdname=api:boot-http']
      .concat(`--setenv=IRONIC_DEFAULT__STATE_PATH=${folder}`)
      .concat(path.join(root, 'daemon/cli/ironic-edge'), 'serve'),
    { stdio: 'ignore' },
  );
  t.after(async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
    rmSync(folder, { recursive: true });
  });
  assert.equal(await statusWhenOpen(`http://127.0.0.1:${boot}/not-served`), 404);
  assert.equal(await statusWhenOpen(`http://127.0.0.1:${api}/v1/nodes`), 200);
});

/** Returns the HTTP status of the first answer. Until systemd-socket-activate listens, connections are refused. */
async function statusWhenOpen(url: string): Promise<number> {
  for (;;) {
    const response = await fetch(url).catch(() => undefined);
    if (response !== undefined) return response.status;
    await setTimeout(50);
  }
}

test('the dnsmasq drop-in is valid and starts an existing program', { skip }, () => {
  const dnsmasq = '[Service]\nExecStart=/bin/true\n';
  const dropIn = here(read('examples/ironic-pxe-filter.dnsmasq.conf'));
  const [, program = ''] = /-- (\S+) purge$/m.exec(dropIn) ?? [];
  assert.ok(existsSync(program), dropIn);
  const verdictOf = (text: string) =>
    analyze(['verify'], { 'dnsmasq.service': dnsmasq, 'dnsmasq.service.d/ironic-pxe-filter.conf': text });
  assert.deepEqual(complaints(verdictOf(dropIn), 'dnsmasq.service'), []);
  const misspelt = verdictOf(dropIn.replace('ExecStartPre', 'ExecStartPrae'));
  assert.match(complaints(misspelt, 'dnsmasq.service').join(), /ExecStartPrae/);
});
