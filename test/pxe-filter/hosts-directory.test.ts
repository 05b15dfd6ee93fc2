import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { UNKNOWN_HOSTS_FILE, type Verdict } from '../../pxe-filter/decide.ts';
import { HostsDirectory } from '../../pxe-filter/hosts-directory.ts';

const [A, B] = ['52:54:00:00:00:0a', '52:54:00:00:00:0b'] as const;
const verdicts = (record: Readonly<Record<string, Verdict>>) => new Map(Object.entries(record));

function directory(t: TestContext): { readonly path: string; readonly hosts: HostsDirectory } {
  const path = mkdtempSync(join(tmpdir(), 'hosts-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return { path, hosts: new HostsDirectory(path) };
}

const contents = (path: string) =>
  Object.fromEntries(readdirSync(path).map((file) => [file, readFileSync(join(path, file), 'utf8')]));

test('files are complete and world-readable, and no temporary files remain', (t) => {
  const { path, hosts } = directory(t);
  const umask = process.umask(0o077);
  t.after(() => process.umask(umask));
  const written = hosts.write(verdicts({ [A]: 'allow', [B]: 'deny', [UNKNOWN_HOSTS_FILE]: 'deny' }));
  assert.deepEqual(written, [A, B, UNKNOWN_HOSTS_FILE]);
  assert.deepEqual(contents(path), {
    [A]: `${A}\n`,
    [B]: `${B},ignore\n`,
    [UNKNOWN_HOSTS_FILE]: '*:*:*:*:*:*,ignore\n',
  });
  assert.equal(statSync(join(path, A)).mode & 0o777, 0o644);
});

test('an up-to-date file is not written again, even by a new HostsDirectory', (t) => {
  const { path, hosts } = directory(t);
  hosts.write(verdicts({ [A]: 'allow', [B]: 'deny' }));
  const before = statSync(join(path, B), { bigint: true });
  assert.deepEqual(hosts.write(verdicts({ [A]: 'deny', [B]: 'deny' })), [A]);
  const next = new HostsDirectory(path);
  next.read();
  assert.deepEqual(next.write(verdicts({ [A]: 'deny', [B]: 'deny' })), []);
  const after = statSync(join(path, B), { bigint: true });
  assert.deepEqual([after.ino, after.mtimeNs], [before.ino, before.mtimeNs]);
});

test('a damaged host file is rewritten with the verdict', (t) => {
  const { path, hosts } = directory(t);
  // the second has the size of a deny record
  for (const damaged of ['', `${B},ignored`, `${A}\n${A},ignore\n`, '\0', `${A},ignore\r\n`]) {
    writeFileSync(join(path, A), damaged);
    hosts.read();
    assert.deepEqual(hosts.write(verdicts({ [A]: 'deny' })), [A], JSON.stringify(damaged));
    assert.deepEqual(contents(path), { [A]: `${A},ignore\n` });
  }
});

test('a file keeps the client identifier of an InfiniBand card whose port is gone', (t) => {
  const { path, hosts } = directory(t);
  hosts.write(verdicts({ [A]: 'allow', [B]: 'allow' }), new Map([[A, `${A},id:ff:00:0a`]]));
  assert.deepEqual(contents(path), { [A]: `${A},id:ff:00:0a\n`, [B]: `${B}\n` });
  hosts.write(verdicts({ [A]: 'deny' }));
  assert.equal(contents(path)[A], `${A},id:ff:00:0a,ignore\n`);
  hosts.write(verdicts({ [A]: 'deny' }), new Map([[A, A]]));
  assert.equal(contents(path)[A], `${A},ignore\n`);
});

test('files of others are neither changed nor listed', (t) => {
  const { path, hosts } = directory(t);
  const foreign = ['ironic-52:54:00:00:00:0a.conf', A.toUpperCase(), `${A}~`, '.hidden', 'README'];
  for (const name of foreign) writeFileSync(join(path, name), 'theirs');
  hosts.read();
  assert.deepEqual(hosts.files, []);
  hosts.keepOnly(verdicts({}));
  assert.deepEqual(contents(path), Object.fromEntries(foreign.map((name) => [name, 'theirs'])));
});

test('keepOnly deletes leftover temporary files and files without a verdict', (t) => {
  const { path, hosts } = directory(t);
  hosts.write(verdicts({ [A]: 'allow', [B]: 'deny', [UNKNOWN_HOSTS_FILE]: 'deny' }));
  writeFileSync(join(path, '.ironic-draft-1'), `${A}\n`);
  const kept = verdicts({ [A]: 'allow', [UNKNOWN_HOSTS_FILE]: 'deny' });
  assert.deepEqual(hosts.keepOnly(kept).toSorted(), ['.ironic-draft-1', B]);
  assert.deepEqual(Object.keys(contents(path)).toSorted(), [A, UNKNOWN_HOSTS_FILE]);
  assert.deepEqual(hosts.files, [A, UNKNOWN_HOSTS_FILE]);
});

test('a file that cannot be replaced is reported with its error, and the others are written', (t) => {
  const { path, hosts } = directory(t);
  mkdirSync(join(path, A));
  hosts.read();
  assert.throws(
    () => hosts.write(verdicts({ [A]: 'deny', [B]: 'deny' })),
    new RegExp(`^Error: 1 of 2 host files could not be written to ${path} .*EISDIR.*${A}`),
  );
  assert.deepEqual(readdirSync(path), [A, B]);
});

test('a symbolic link is replaced and not followed', (t) => {
  const { path, hosts } = directory(t);
  const target = join(path, 'target');
  writeFileSync(target, 'theirs');
  symlinkSync(target, join(path, A));
  hosts.read();
  hosts.write(verdicts({ [A]: 'deny' }));
  assert.deepEqual(contents(path), { [A]: `${A},ignore\n`, target: 'theirs' });
});

test('a path that is missing or names a file is refused with instructions', (t) => {
  const { path } = directory(t);
  writeFileSync(join(path, 'file'), '');
  for (const name of ['missing', 'file'])
    assert.throws(
      () => new HostsDirectory(join(path, name)),
      new RegExp(`dhcp_hostsdir = ${join(path, name)}: expected a directory that exists. Create it`),
    );
});

test('a deleted directory is reported and not created again', (t) => {
  const { path, hosts } = directory(t);
  rmSync(path, { recursive: true });
  assert.throws(() => hosts.read(), /ENOENT/);
  assert.throws(() => hosts.write(verdicts({ [A]: 'deny' })), /1 of 1 host files.*ENOENT/);
  assert.throws(() => statSync(path), /ENOENT/);
});
