// The newest baremetal client and openstacksdk that PyPI gives, in a virtual environment of the checkout: they have
// commands and calls that Debian's lack.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const REQUIREMENTS = ['python-ironicclient==6.3.0', 'openstacksdk==4.22.0'];
const folder = join(import.meta.dirname, '../../.cache/newest-client');
const stamp = join(folder, 'requirement');

/** Has the modules of both. */
export const newestPython = join(folder, 'bin/python');

const isInstalled = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === REQUIREMENTS.join(' ');

const run = (program: string, ...words: readonly string[]): boolean =>
  spawnSync(program, words, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;

/** Makes the environment unless it is there; false when Python or PyPI does not let us. */
export function installNewestClient(): boolean {
  if (isInstalled()) return true;
  rmSync(folder, { recursive: true, force: true });
  const made =
    run('/usr/bin/python3', '-m', 'venv', folder) &&
    run(join(folder, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', ...REQUIREMENTS);
  if (made) writeFileSync(stamp, REQUIREMENTS.join(' '));
  return made;
}

/** For a test's `skip`: a reason when the client is missing, else false. */
export const skipWithoutNewestClient = (): string | false =>
  !isInstalled() && `${REQUIREMENTS.join(' and ')} are not installed; npm test installs them`;
