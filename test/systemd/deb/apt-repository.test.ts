import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { skipWithout } from '../../setup/packages.ts';

const skip = skipWithout('apt-utils') || skipWithout('gnupg');
const PROGRAM = path.join(import.meta.dirname, '../../../systemd/deb/apt-repository.ts');

/** A keyring with one key, a repository with two releases of a package, and an apt that has only this repository. */
function site(t: TestContext) {
  const root = mkdtempSync(path.join(tmpdir(), 'apt-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const at = (...parts: string[]) => path.join(root, ...parts);
  for (const name of [
    'gpg',
    'repository/pool/main',
    'var/lib/apt/lists/partial',
    'var/lib/dpkg',
    'var/cache',
    'etc',
  ])
    mkdirSync(at(name), { recursive: true, mode: 0o700 });
  writeFileSync(at('var/lib/dpkg/status'), '');
  const call = (program: string, ...words: string[]) => {
    const { status, stdout, stderr } = spawnSync(program, words, {
      encoding: 'utf8',
      env: { ...process.env, GNUPGHOME: at('gpg'), LC_ALL: 'C' },
    });
    return { status, output: stdout + stderr };
  };
  t.after(() => call('gpgconf', '--kill', 'all'));
  const key = 'packages@site.example';
  call('gpg', '--batch', '--passphrase', '', '--quick-generate-key', key);
  for (const version of ['1.0.0', '1.1.0']) addPackage(at('repository/pool/main'), version);
  const repository = at('repository');
  writeFileSync(
    at('etc/sources.list'),
    `deb [signed-by=${repository}/ironic-edge.gpg] file:${repository} stable main\n`,
  );
  const settings = {
    Dir: root,
    'Dir::Etc': at('etc'),
    'Dir::State::status': at('var/lib/dpkg/status'),
    'APT::Architecture': 'amd64',
    'APT::Architectures': 'amd64',
    'APT::Sandbox::User': 'root',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  return {
    repository,
    key,
    publish: (...words: string[]) => call(process.execPath, PROGRAM, ...words),
    apt: (program: string, ...words: string[]) => call(program, ...options, ...words),
  };
}

function addPackage(pool: string, version: string): void {
  const stage = mkdtempSync(path.join(tmpdir(), 'package-'));
  mkdirSync(path.join(stage, 'DEBIAN'));
  const control = `Package: ironic-edge\nVersion: ${version}\nArchitecture: amd64\nMaintainer: test\nDescription: test\n`;
  writeFileSync(path.join(stage, 'DEBIAN/control'), control);
  spawnSync('dpkg-deb', ['--build', stage, path.join(pool, `ironic-edge_${version}_amd64.deb`)]);
  rmSync(stage, { recursive: true });
}

test(
  'apt accepts the signed repository, offers every release in it, and refuses a package that was changed',
  { skip },
  (t) => {
    const { repository, key, publish, apt } = site(t);
    const published = publish(repository, '--key', key);
    assert.equal(published.status, 0, published.output);
    assert.match(published.output, /ironic-edge_1\.0\.0_amd64\.deb/);
    // a second run changes nothing that apt would notice
    assert.equal(publish(repository, '--key', key).status, 0);
    const updated = apt('apt-get', 'update');
    assert.doesNotMatch(updated.output, /^[WE]:/m);
    const offered = apt('apt-cache', 'madison', 'ironic-edge').output;
    assert.deepEqual(offered.match(/1\.\d\.0/g), ['1.1.0', '1.0.0']);
    const fetched = apt(
      'apt-get',
      'install',
      '--yes',
      '--download-only',
      '--no-install-recommends',
      'ironic-edge',
    );
    assert.equal(fetched.status, 0, fetched.output);
    const [newest = ''] = globSync('pool/main/*_1.1.0_*.deb', { cwd: repository });
    appendFileSync(path.join(repository, newest), 'changed');
    assert.match(
      apt('apt-get', 'install', '--yes', '--download-only', 'ironic-edge').output,
      /unexpected size|Hash Sum/,
    );
  },
);

test('apt refuses an index that was changed after it was signed', { skip }, (t) => {
  const { repository, key, publish, apt } = site(t);
  publish(repository, '--key', key);
  appendFileSync(path.join(repository, 'dists/stable/main/binary-amd64/Packages'), '\n');
  appendFileSync(path.join(repository, 'dists/stable/main/binary-amd64/Packages.gz'), '\n');
  const updated = apt('apt-get', 'update');
  assert.match(updated.output, /^E: Failed to fetch .*(?:Hash Sum mismatch|unexpected size)/m);
});

test('a missing folder, key or package is named, with what to do', { skip }, (t) => {
  const { repository, key, publish } = site(t);
  const refused = (...words: string[]) => {
    const { status, output } = publish(...words);
    assert.equal(status, 1, output);
    return output;
  };
  assert.match(refused('--key', key), /^expected one folder for the repository: npm run apt-repository/);
  assert.match(refused(repository), /"gpg --list-secret-keys" lists keys/);
  assert.match(refused(repository, '--key', 'nobody@site.example'), /no secret key nobody@site\.example/);
  assert.deepEqual(globSync('dists/**', { cwd: repository }), []);
});
