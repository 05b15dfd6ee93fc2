// The newest baremetal client that PyPI gives, in a virtual environment of the checkout: it has commands that Debian's
// lacks.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const REQUIREMENT = 'python-ironicclient==6.3.0';
const folder = join(import.meta.dirname, '../../.cache/newest-client');
const stamp = join(folder, 'requirement');

/** The command. */
export const newestBaremetal = join(folder, 'bin/baremetal');

const isInstalled = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === REQUIREMENT;

const run = (program: string, ...words: readonly string[]): boolean =>
  spawnSync(program, words, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;

/** Makes the environment unless it is there; false when Python or PyPI does not let us. */
export function installNewestClient(): boolean {
  if (isInstalled()) return true;
  rmSync(folder, { recursive: true, force: true });
  const made =
    run('/usr/bin/python3', '-m', 'venv', folder) &&
    run(join(folder, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', REQUIREMENT);
  if (made) writeFileSync(stamp, REQUIREMENT);
  return made;
}

/** For a test's `skip`: a reason when the client is missing, else false. */
export const skipWithoutNewestClient = (): string | false =>
  !isInstalled() && `${REQUIREMENT} is not installed; npm test installs it`;
