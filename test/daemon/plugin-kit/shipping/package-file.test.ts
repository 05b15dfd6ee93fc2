// Packages as this program packs them, as other tools open them, and as an attacker could forge them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { folderFiles } from '../../../../daemon/plugin-kit/shipping/folder-files.ts';
import { openPackage, packPlugin } from '../../../../daemon/plugin-kit/shipping/package-file.ts';
import { fingerprintOf, privateKeyIn } from '../../../../daemon/plugin-kit/shipping/signing-key.ts';
import { type ArchivedFile, readTar, writeTar } from '../../../../daemon/plugin-kit/shipping/tar.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const file = (name: string, text: string): ArchivedFile => ({
  path: name,
  isExecutable: false,
  bytes: Buffer.from(text),
});
const files = [
  file('plugin.json', '{}'),
  file('lib/power.ts', 'export const power = 1;\n'),
  file('empty', ''),
];
const packed = packPlugin({ name: 'acme', files }, privateKey);

function temporary(t: TestContext): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'ironic-edge-package-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test('a package is opened as it was packed, and names its signer', () => {
  const { name, files: opened, signer } = openPackage(packed, 'acme.tgz');
  assert.deepEqual([name, signer], ['acme', fingerprintOf(publicKey)]);
  assert.deepEqual(
    opened.map((one) => [one.path, one.bytes.toString()]),
    [
      ['empty', ''],
      ['lib/power.ts', 'export const power = 1;\n'],
      ['plugin.json', '{}'],
    ],
  );
  assert.equal(openPackage(packPlugin({ name: 'acme', files }, undefined), '').signer, undefined);
});

const packFolder = (folder = '') => packPlugin({ name: 'acme', files: folderFiles(folder) }, privateKey);

test('folders that differ only in hidden files, times and the order of files give equal packages', (t) => {
  const [one, other] = ['one', 'other'].map((name) => path.join(temporary(t), name));
  for (const [folder = '', names] of [
    [one, ['a.ts', 'b.ts']],
    [other, ['b.ts', 'a.ts']],
  ] as const) {
    mkdirSync(path.join(folder, '.git'), { recursive: true });
    for (const name of names) {
      writeFileSync(path.join(folder, name), name);
      utimesSync(path.join(folder, name), Math.random() * 1e9, Math.random() * 1e9);
    }
    chmodSync(path.join(folder, 'a.ts'), 0o755);
    writeFileSync(path.join(folder, '.git/config'), folder);
  }
  assert.ok(packFolder(one).equals(packFolder(other)));
  assert.deepEqual(
    openPackage(packFolder(one), '').files.map(({ path: name, isExecutable }) => [name, isExecutable]),
    [
      ['a.ts', true],
      ['b.ts', false],
    ],
  );
});

test('a folder with a link is not packed', (t) => {
  const folder = temporary(t);
  symlinkSync('/etc/passwd', path.join(folder, 'link.ts'));
  assert.throws(() => folderFiles(folder), /link\.ts is neither a file nor a folder/);
});

test('tar, sha256sum and openssl open and verify a package', (t) => {
  const directory = temporary(t);
  writeFileSync(path.join(directory, 'acme.tgz'), packed);
  const run = (command: string) => execFileSync('sh', ['-c', command], { cwd: directory, encoding: 'utf8' });
  run('tar xzf acme.tgz');
  assert.match(run('sha256sum -c SHA256SUMS'), /acme\/lib\/power\.ts: OK/);
  assert.match(
    run('openssl pkeyutl -verify -pubin -inkey SIGNER.pem -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig'),
    /Verified Successfully/,
  );
  assert.equal(readFileSync(path.join(directory, 'acme/plugin.json'), 'utf8'), '{}');
});

test('a package is refused when a byte of a member is changed, files are renamed or added, or the signature is missing', () => {
  const archive = gunzipSync(packed);
  const members = readTar(archive);
  for (const changed of members.keys()) {
    const bytes = Buffer.from(members[changed]?.bytes ?? '');
    if (bytes.length === 0) continue;
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    const tampered = members.map((member, at) => (at === changed ? { ...member, bytes } : member));
    assert.throws(
      () => openPackage(gzipSync(writeTar(tampered)), 'acme.tgz'),
      /^Error: acme\.tgz is no plugin package that can be trusted: its (?:files|signature)|SIGNER\.pem holds no key/,
      members[changed]?.path,
    );
  }
  const renamed = members.map((member) => ({ ...member, path: member.path.replace('acme/', 'evil/') }));
  assert.throws(() => openPackage(gzipSync(writeTar(renamed)), ''), /its files are not those of SHA256SUMS/);
  const added = [...members, file('acme/more.ts', '')];
  assert.throws(() => openPackage(gzipSync(writeTar(added)), ''), /its files are not those of SHA256SUMS/);
  const unsigned = members.filter(({ path: name }) => name !== 'SHA256SUMS.sig');
  assert.throws(
    () => openPackage(gzipSync(writeTar(unsigned)), ''),
    /it has only one of SHA256SUMS\.sig and/,
  );
});

/** An archive with a hostile header and its correct checksum. */
function forged(name: string, { kind = '0', size = '00000000000' } = {}): Buffer {
  const archive = writeTar([file('x'.repeat(50), '')]);
  const header = archive.subarray(0, 512);
  header.fill(0, 0, 100).write(name, 0);
  header.write(kind, 156).toString();
  header.write(size, 124);
  header.write('        ', 148);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return archive;
}

const hostile: readonly (readonly [what: string, archive: Buffer, sentence: RegExp])[] = [
  ['a path upwards', forged('acme/../../etc/cron.d/x'), /is no name of a file below the folder/],
  ['an absolute path', forged('/etc/passwd'), /is no name of a file/],
  ['an empty name', forged(''), /is no name of a file/],
  ['a folder alone', forged('acme/'), /is no name of a file/],
  ['a hidden file', forged('acme/.ssh/authorized_keys'), /is no name of a file/],
  ['a name that programs take for an option', forged('acme/--help'), /is no name of a file/],
  ['a line break in a name', forged('acme/a\nb'), /is no name of a file/],
  ['a backslash', forged('acme\\..\\x'), /is no name of a file/],
  [
    'a symbolic link',
    forged('acme/x', { kind: '2' }),
    /is of the kind "2"; a plugin consists of regular files only/,
  ],
  ['a hard link', forged('acme/x', { kind: '1' }), /is of the kind "1"/],
  ['a character device', forged('acme/x', { kind: '3' }), /is of the kind "3"/],
  ['a block device', forged('acme/x', { kind: '4' }), /is of the kind "4"/],
  ['a directory', forged('acme/x', { kind: '5' }), /is of the kind "5"/],
  ['a pipe', forged('acme/x', { kind: '6' }), /is of the kind "6"/],
  ['a long name of GNU tar', forged('acme/x', { kind: 'L' }), /is of the kind "L"/],
  ['an extended header', forged('acme/x', { kind: 'x' }), /is of the kind "x"/],
  ['a size beyond the end', forged('acme/x', { size: '77777777777' }), /it ends in the middle of "acme\/x"/],
  ['a size that is no number', forged('acme/x', { size: '-0000000001' }), /a number that is not octal/],
  ['a binary size', forged('acme/x', { size: '\x80\0\0\0\0\0\0\0\0\0\x01' }), /a number that is not octal/],
  ['the same name twice', writeTar([file('acme/a', ''), file('acme/a', '')]), /is in it twice/],
  ['names that differ in case', writeTar([file('acme/A', ''), file('acme/a', '')]), /is in it twice/],
  ['a file and a folder of one name', writeTar([file('acme/a', ''), file('acme/a/b', '')]), /is in it twice/],
  ['a folder and a file of one name', writeTar([file('acme/a/b', ''), file('acme/a', '')]), /is in it twice/],
  ['no end', writeTar([file('acme/a', '')]).subarray(0, 512), /it ends in the middle/],
  ['a damaged header', Buffer.alloc(1024, 7), /it is no ustar archive, or it is damaged|without sizes/],
  [
    'too many files',
    writeTar(Array.from({ length: 5001 }, (_, at) => file(`acme/${at}`, ''))),
    /more than 5000 files/,
  ],
  ['nothing', Buffer.alloc(1024), /it lacks SHA256SUMS/],
];

for (const [what, archive, sentence] of hostile) {
  test(`an archive with ${what} is refused`, () => {
    assert.throws(() => openPackage(gzipSync(archive), 'x.tgz'), sentence);
  });
}

test('a package that is not gzipped is refused; one with over 128 MiB of content is refused before it is unpacked whole', () => {
  const bomb = gzipSync(Buffer.alloc(200_000_000));
  const before = process.memoryUsage().arrayBuffers;
  assert.throws(() => openPackage(bomb, 'x.tgz'), /cannot be unpacked to at most 134217728 bytes/);
  assert.ok(process.memoryUsage().arrayBuffers - before < 200_000_000);
  assert.throws(() => openPackage(Buffer.from('hello'), 'x.tgz'), /cannot be unpacked/);
});

test('a package with a file beside its folder, or with two folders, is refused', () => {
  const other = packPlugin({ name: 'acme', files }, undefined);
  const members = readTar(gunzipSync(other));
  const beside = gzipSync(writeTar([...members, file('install.sh', 'rm -rf /')]));
  assert.throws(() => openPackage(beside, ''), /it holds "install\.sh" beside its folder/);
  const sums = `${members[0]?.bytes.toString()}e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  other/a\n`;
  const two = [file('SHA256SUMS', sums), ...members.slice(1), file('other/a', '')];
  assert.throws(() => openPackage(gzipSync(writeTar(two)), ''), /it does not hold exactly one folder/);
});

test('an RSA key and an unreadable key are refused, each with the reason', () => {
  const { privateKey: rsa } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const pem = rsa.export({ type: 'pkcs8', format: 'pem' }).toString();
  assert.throws(() => privateKeyIn('k.pem', pem), /k\.pem holds a key of type rsa; expected an Ed25519 key/);
  assert.throws(
    () => privateKeyIn('k.pem', 'no key'),
    /k\.pem holds no key that can be read .*openssl genpkey/,
  );
});

test('a name that is too long for the format is refused when packing', () => {
  const long = [file(`${'x'.repeat(120)}.ts`, '')];
  assert.throws(
    () => packPlugin({ name: 'acme', files: long }, undefined),
    /the name is too long for an archive/,
  );
  const deep = [file(`${'d/'.repeat(60)}${'n'.repeat(90)}.ts`, 'deep')];
  assert.equal(
    openPackage(packPlugin({ name: 'acme', files: deep }, undefined), '').files[0]?.bytes.toString(),
    'deep',
  );
});
