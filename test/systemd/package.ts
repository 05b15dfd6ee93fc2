// Part of npm run systemd: builds the Debian package, and installs, upgrades, removes and purges it in a booted Debian.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { Lab, labArchive, type Suite } from './lab.ts';

const tree = path.join(import.meta.dirname, '..', '..');
const SERVE = 'usr/lib/ironic-edge/dist/daemon/main.ts';
const MIGRATIONS = 'usr/lib/ironic-edge/dist/daemon/db/migrations';

/**
 * What package.sh prints. It installs this release and then 99.2.0 to 99.4.0; the migration of 99.3.0 fails, and 99.4.0 does not
 * start.
 */
const EXPECTED = {
  fresh: 'active enabled',
  configuration: '640 root ironic-edge',
  upgraded: '99.2.0 active restarted',
  edited_kept: '1 ironic.conf ironic.conf.dpkg-dist',
  edited_doctor: '1',
  backups: '1',
  releases: '1',
  refused_status: '0',
  refused_says: '1 1',
  refused_runs: '99.2.0 undisturbed manageable',
  refused_restarted: '99.2.0 manageable',
  doctor: '1',
  corrected: '99.3.0 manageable',
  unstartable_status: '0',
  unstartable_says: '1',
  unstartable_runs: '99.3.0 active manageable',
  unstartable_doctor: '1',
  downgrade_status: '100',
  downgrade_says: '1',
  downgrade_runs: '99.3.0 manageable',
  removed: 'inactive database-kept',
  reinstalled: 'active manageable',
  left: '',
};

function build(): string {
  // prints the path of the package, and its size; packages of earlier releases may lie beside it
  const built = execFileSync(process.execPath, [path.join(tree, 'systemd/deb/build.ts')], {
    encoding: 'utf8',
  });
  return built.split(' (')[0] ?? '';
}

/** Checks that two builds give the same package. Returns the path of a copy in `folder`. */
function buildTwice(folder: string): string {
  const file = path.join(folder, path.basename(build()));
  copyFileSync(path.join(tree, '.cache/deb', path.basename(file)), file);
  assert.ok(readFileSync(build()).equals(readFileSync(file)), 'two builds of one commit give the same bytes');
  return file;
}

interface Change {
  readonly migration: string;
  /** Code of the program that a `throw` statement replaces. */
  readonly breaks?: string;
}

/** Makes a later release from the package `base`: with another version, a changed configuration file and one more migration. */
function nextRelease(base: string, version: string, { migration, breaks = '' }: Change): string {
  const stage = mkdtempSync(path.join(tmpdir(), 'later-release-'));
  try {
    execFileSync('dpkg-deb', ['--raw-extract', base, stage]);
    const control = path.join(stage, 'DEBIAN/control');
    writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: .*$/m, `Version: ${version}`));
    appendFileSync(path.join(stage, 'etc/ironic-edge/ironic.conf'), `# of ${version}\n`);
    const program = readFileSync(path.join(stage, SERVE), 'utf8');
    assert.ok(program.includes(breaks));
    if (breaks !== '')
      writeFileSync(path.join(stage, SERVE), program.replace(breaks, `throw new Error('broken');`));
    const migrations = path.join(stage, MIGRATIONS);
    const next = globSync('*.sql', { cwd: migrations }).length + 1;
    writeFileSync(path.join(migrations, `${String(next).padStart(4, '0')}-future.sql`), migration);
    const file = path.join(path.dirname(base), `ironic-edge_${version}_amd64.deb`);
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zzstd', '-z1', '--build', stage, file]);
    return file;
  } finally {
    rmSync(stage, { recursive: true });
  }
}

function live(suite: Suite, folder: string): void {
  using lab = new Lab(labArchive(suite));
  lab.freeUnit('ironic-edge.service');
  lab.write(
    'etc/systemd/system/ironic-edge.service.d/log.conf',
    '[Service]\nStandardOutput=append:/lab/log\n',
  );
  const { inspected_seconds: inspected, ...seen } = lab.boot('package.sh', folder, '/packages');
  assert.ok(Number(inspected) < 60, 'the first machine is inspected within a minute of apt install');
  const found = Object.fromEntries(Object.keys(EXPECTED).map((name) => [name, seen[name]]));
  assert.deepEqual(found, EXPECTED, suite);
  console.log(
    `${suite}: the package works as it should; the first machine was inspected after ${inspected} s`,
  );
}

const packages = mkdtempSync(path.join(tmpdir(), 'packages-'));
try {
  const base = buildTwice(packages);
  // lintian's warnings count too: systemd/deb/lintian-overrides has the accepted ones with their reasons
  execFileSync('lintian', ['--fail-on', 'error,warning', '--allow-root', base], { stdio: 'inherit' });
  const second = nextRelease(base, '99.2.0', { migration: 'CREATE TABLE future (id INTEGER);' });
  const third = nextRelease(second, '99.3.0', { migration: 'UPDATE of_the_future SET id = 1;' });
  const breaks = 'offerDrivers(services);';
  nextRelease(third, '99.4.0', { migration: 'CREATE TABLE later (id INTEGER);', breaks });
  for (const suite of ['bookworm', 'trixie'] as const) live(suite, packages);
} finally {
  rmSync(packages, { recursive: true });
}
