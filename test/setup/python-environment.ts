// A virtual environment of the checkout that holds one requirement from PyPI.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface PythonEnvironment {
  readonly requirement: string;
  /** The path of a command that the requirement brings. */
  readonly command: (name: string) => string;
  readonly isInstalled: () => boolean;
  /** Makes the environment unless it is there; false when Python or PyPI does not let us. */
  readonly install: () => boolean;
}

const run = (program: string, ...words: readonly string[]): boolean =>
  spawnSync(program, words, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;

export function pythonEnvironment(name: string, requirement: string): PythonEnvironment {
  const folder = join(import.meta.dirname, '../../.cache', name);
  const stamp = join(folder, 'requirement');
  const command = (program: string) => join(folder, 'bin', program);
  const isInstalled = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === requirement;
  return {
    requirement,
    command,
    isInstalled,
    install() {
      if (isInstalled()) return true;
      rmSync(folder, { recursive: true, force: true });
      const made =
        run('/usr/bin/python3', '-m', 'venv', folder) &&
        run(command('pip'), 'install', '--quiet', '--disable-pip-version-check', requirement);
      if (made) writeFileSync(stamp, requirement);
      return made;
    },
  };
}
