import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { stageSystem } from '../../../systemd/deb/stage-system.ts';

const tree = path.join(import.meta.dirname, '../../..');
const PROGRAM = '/usr/lib/ironic-edge/current/';

function staged(t: TestContext): string {
  const stage = mkdtempSync(path.join(tmpdir(), 'stage-'));
  t.after(() => rmSync(stage, { recursive: true }));
  stageSystem(stage);
  return stage;
}

test('units and commands start programs below /usr/lib/ironic-edge/current that exist in the source tree', (t) => {
  const stage = staged(t);
  const units = globSync('usr/lib/systemd/system/*', { cwd: stage });
  assert.ok(units.includes('usr/lib/systemd/system/ironic-edge.service'));
  const texts = units.map((unit) => readFileSync(path.join(stage, unit), 'utf8'));
  assert.doesNotMatch(texts.join(''), /\/opt\//);
  const started = texts.flatMap((text) => text.match(/(?<=^ExecStart=)\S+/gm) ?? []);
  const commands = globSync('usr/bin/*', { cwd: stage }).map((name) =>
    path.resolve('/usr/bin', readlinkSync(path.join(stage, name))),
  );
  for (const program of [...started, ...commands]) {
    assert.ok(program.startsWith(PROGRAM), program);
    assert.ok(existsSync(path.join(tree, program.slice(PROGRAM.length))), program);
  }
});

test('the configuration file and the units name pages that are on an installed host', (t) => {
  const stage = staged(t);
  const texts = [...globSync('usr/lib/systemd/system/*', { cwd: stage }), 'etc/ironic-edge/ironic.conf'].map(
    (file) => readFileSync(path.join(stage, file), 'utf8'),
  );
  const named = texts
    .flatMap((text) => text.match(/[\w/.-]+\.md\b/g) ?? [])
    .map((name) => name.replace(/^\/\//, ''));
  assert.ok(named.includes('/usr/share/doc/ironic-edge/docs/network-boot.md'), named.join(' '));
  const pages = readlinkSync(path.join(stage, 'usr/share/doc/ironic-edge/docs'));
  const installed = path.resolve('/usr/share/doc/ironic-edge', pages);
  for (const page of named) {
    const file = page.replace('/usr/share/doc/ironic-edge/docs', installed);
    assert.ok(file.startsWith(PROGRAM), page);
    assert.ok(existsSync(path.join(tree, file.slice(PROGRAM.length))), page);
  }
});

test('each script of the package has a syntax that sh accepts', (t) => {
  const stage = staged(t);
  const scripts = ['preinst', 'postinst', 'prerm', 'postrm'].map((name) => `DEBIAN/${name}`);
  for (const script of [...scripts, 'usr/lib/ironic-edge/activate'])
    execFileSync('sh', ['-n', path.join(stage, script)]);
});

test('preinst accepts upgrades and installations, and refuses a downgrade with the commands for going back', (t) => {
  const preinst = path.join(staged(t), 'DEBIAN/preinst');
  execFileSync(preinst, ['upgrade', '1.2.0', '1.10.0']);
  execFileSync(preinst, ['install', '1.10.0', '1.2.0']);
  assert.throws(
    () => execFileSync(preinst, ['upgrade', '1.10.0', '1.2.0'], { stdio: 'pipe' }),
    /apt remove ironic-edge[^]*ironic-edge restore BACKUP/,
  );
});
