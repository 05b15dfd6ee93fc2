// Removes and purges a package that has the scripts of ours, with dpkg, in a tree of its own: its programs are those of this host, and
// nothing but the tree can be written.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';

const scripts = path.join(import.meta.dirname, '../../../systemd/deb/scripts');
const CONTROL = `Package: ironic-edge
Version: 1.0.0
Architecture: all
Maintainer: Nobody <nobody@example.test>
Description: the scripts that run when the package is removed
`;
/** Empty files for dpkg, as a Debian has them. */
const EMPTY = ['var/lib/dpkg/status', 'var/lib/dpkg/available'];
const MOUNTED = `for each in usr dev; do mount --rbind /$each $each; done; mount -o remount,ro,bind usr usr; exec chroot . "$@"`;

/** Returns a function that runs a program of this host in a new tree where the package is installed; and the path of the tree. */
function installed(t: TestContext) {
  const root = mkdtempSync(path.join(tmpdir(), 'removal-'));
  t.after(() => rmSync(root, { recursive: true }));
  const folders = ['package/DEBIAN', 'usr', 'dev', 'tmp', 'etc', 'var/lib/dpkg/info', 'var/lib/dpkg/updates'];
  for (const folder of [...folders, 'var/lib/ironic-edge/backups', 'etc/ironic-edge'])
    mkdirSync(path.join(root, folder), { recursive: true });
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, path.join(root, name));
  for (const name of EMPTY) writeFileSync(path.join(root, name), '');
  writeFileSync(path.join(root, 'package/DEBIAN/control'), CONTROL);
  for (const name of ['prerm', 'postrm'])
    copyFileSync(path.join(scripts, name), path.join(root, 'package/DEBIAN', name));
  writeFileSync(path.join(root, 'var/lib/ironic-edge/ironic-edge.sqlite'), Buffer.alloc(5 * 2 ** 20));
  writeFileSync(path.join(root, 'etc/ironic-edge/ironic.conf'), '[DEFAULT]\n');
  const run = (...words: readonly string[]): string =>
    execFileSync('unshare', ['--map-root-user', '--mount', 'sh', '-ec', MOUNTED, 'sh', ...words], {
      cwd: root,
      encoding: 'utf8',
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  run('dpkg-deb', '--build', '--root-owner-group', '/package', '/tmp/package.deb');
  run('dpkg', '--install', '/tmp/package.deb');
  return { run, root };
}

const KEPT = ['var/lib/ironic-edge/ironic-edge.sqlite', 'etc/ironic-edge/ironic.conf'];

test('a removal says where the data stays, how large it is and what deletes it, and keeps it', (t) => {
  const { run, root } = installed(t);
  const said = run('dpkg', '--remove', 'ironic-edge');
  assert.match(
    said,
    /stays: \/var\/lib\/ironic-edge \(database, [^)]*\) and \/etc\/ironic-edge \([^)]*\), 5\.\dM together\. "apt purge ironic-edge" deletes it for good\./,
  );
  for (const file of KEPT) assert.ok(existsSync(path.join(root, file)), file);
  const purged = run('dpkg', '--purge', 'ironic-edge');
  assert.match(purged, /Deleting for good: \/var\/lib\/ironic-edge \(database, .*5\.\dM together/);
  for (const file of KEPT) assert.ok(!existsSync(path.dirname(path.join(root, file))), file);
});

test('a purge of the installed package says what it deletes, and not that it stays', (t) => {
  const { run, root } = installed(t);
  const said = run('dpkg', '--purge', 'ironic-edge');
  assert.match(said, /Deleting for good: \/var\/lib\/ironic-edge/);
  assert.doesNotMatch(said, /stays: /);
  for (const file of KEPT) assert.ok(!existsSync(path.join(root, file)), file);
});

test('a purge ends well where the folders are gone already', (t) => {
  const { run, root } = installed(t);
  run('dpkg', '--remove', 'ironic-edge');
  for (const folder of ['var/lib/ironic-edge', 'etc/ironic-edge'])
    rmSync(path.join(root, folder), { recursive: true });
  assert.match(run('dpkg', '--purge', 'ironic-edge'), /Purging configuration files for ironic-edge/);
});
