// Builds a program that calls the API with gophercloud, where Go is installed; modules and compiled packages stay in .cache.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const cache = join(import.meta.dirname, '../../.cache');
const source = join(import.meta.dirname, '../interop/gophercloud');
const program = join(cache, 'gophercloud/client');

function go(...words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('go', words, {
    cwd: source,
    encoding: 'utf8',
    env: {
      ...process.env,
      GOPATH: join(cache, 'go'),
      GOCACHE: join(cache, 'go-build'),
      GOFLAGS: '-modcacherw',
      GOTOOLCHAIN: 'local',
      CGO_ENABLED: '0',
    },
  });
  if (status !== 0) throw new Error(`go ${words.join(' ')}: ${stderr}`);
  return stdout;
}

/** For a test's `skip`: a reason when Go is missing, else false. */
export const skipWithoutGo = (): string | false =>
  spawnSync('go', ['version']).status !== 0 && 'Go is not installed (golang.org, or the package golang-go)';

/** Builds the program and returns its path. Throws with the compiler's output. */
export function buildGophercloud(): string {
  // with an empty cache Go also compiles the standard library: without optimisation this takes two thirds of the time
  go('build', '-gcflags=all=-N -l', '-o', program, '.');
  return program;
}

/** The folders with the sources of gophercloud's bare metal packages, by import path. */
export function baremetalPackages(): ReadonlyMap<string, string> {
  const parent = 'github.com/gophercloud/gophercloud/v2/openstack/baremetal';
  const lines = go('list', '-f', '{{.ImportPath}} {{.Dir}}', `${parent}/...`).trim().split('\n');
  return new Map(lines.map((line) => line.split(' ') as [string, string]));
}
