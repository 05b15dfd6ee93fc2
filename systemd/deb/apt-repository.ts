// npm run apt-repository -- FOLDER --key KEY: adds the packages of .cache/deb to a repository for apt, which any web server can serve or
// mirror. Packages that are there stay, so that a site can go back. KEY names a secret key of gpg, which signs the repository.
import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { run } from './run.ts';

const USAGE = 'npm run apt-repository -- FOLDER --key KEY';
const BUILT = path.join(import.meta.dirname, '../../.cache/deb');
const SUITE = 'dists/stable';
const ARCHITECTURES = ['amd64', 'arm64'];
const PUBLIC_KEY = 'ironic-edge.gpg';

interface Order {
  readonly folder: string;
  readonly key: string;
}

function orderFrom(words: string[]): Order {
  const { values, positionals } = parseArgs({
    args: words,
    options: { key: { type: 'string' } },
    allowPositionals: true,
  });
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0)
    throw new Error(`expected one folder for the repository: ${USAGE}`);
  const { key } = values;
  if (key === undefined)
    throw new Error(
      `expected the key that signs the repository; "gpg --list-secret-keys" lists keys: ${USAGE}`,
    );
  if (!hasSecretKey(key))
    throw new Error(`gpg has no secret key ${key}; "gpg --quick-generate-key ${key}" makes one: ${USAGE}`);
  return { folder: path.resolve(folder), key };
}

function hasSecretKey(key: string): boolean {
  try {
    execFileSync('gpg', ['--batch', '--list-secret-keys', '--', key], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function publish({ folder, key }: Order): void {
  addPackages(folder);
  for (const architecture of ARCHITECTURES) writeIndex(folder, architecture);
  const release = path.join(folder, SUITE, 'Release');
  const fields = {
    Origin: 'ironic-edge',
    Label: 'ironic-edge',
    Suite: 'stable',
    Codename: 'stable',
    Architectures: ARCHITECTURES.join(' '),
    Components: 'main',
  };
  const options = Object.entries(fields).flatMap(([name, value]) => [
    '-o',
    `APT::FTPArchive::Release::${name}=${value}`,
  ]);
  // else the new Release would list the old one
  for (const old of globSync('{Release*,InRelease}', { cwd: path.dirname(release) }))
    rmSync(path.join(path.dirname(release), old));
  writeFileSync(release, run('apt-ftparchive', [...options, 'release', path.dirname(release)]));
  const signed = (output: string, ...kind: string[]) =>
    run('gpg', ['--batch', '--yes', '--local-user', key, '--output', output, ...kind, release]);
  signed(path.join(folder, SUITE, 'InRelease'), '--clear-sign');
  signed(`${release}.gpg`, '--armor', '--detach-sign');
  run('gpg', ['--batch', '--yes', '--output', path.join(folder, PUBLIC_KEY), '--export', '--', key]);
}

function addPackages(folder: string): void {
  const built = globSync('ironic-edge_*.deb', { cwd: BUILT });
  const pool = path.join(folder, 'pool/main');
  mkdirSync(pool, { recursive: true });
  for (const name of built) copyFileSync(path.join(BUILT, name), path.join(pool, name));
  if (globSync('*.deb', { cwd: pool }).length === 0)
    throw new Error(`there is no package in ${BUILT} or ${pool}; "npm run deb" builds one`);
}

function writeIndex(folder: string, architecture: string): void {
  const index = path.join(folder, SUITE, `main/binary-${architecture}`);
  mkdirSync(index, { recursive: true });
  // the names of files in the index are relative to the folder
  const packages = execFileSync('apt-ftparchive', ['--arch', architecture, 'packages', 'pool/main'], {
    cwd: folder,
    maxBuffer: 64 * 1_048_576,
  });
  writeFileSync(path.join(index, 'Packages'), packages);
  writeFileSync(path.join(index, 'Packages.gz'), gzipSync(packages, { level: 9 }));
}

try {
  const order = orderFrom(process.argv.slice(2));
  publish(order);
  const packages = globSync('pool/main/*.deb', { cwd: order.folder }).map((file) => path.basename(file));
  console.log(`${order.folder} has ${packages.toSorted().join(', ')}
On each host, with the address at which the folder is served in place of URL:
  curl -o /usr/share/keyrings/${PUBLIC_KEY} URL/${PUBLIC_KEY}
  echo 'deb [signed-by=/usr/share/keyrings/${PUBLIC_KEY}] URL stable main' > /etc/apt/sources.list.d/ironic-edge.list
  apt update && apt install ironic-edge`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
