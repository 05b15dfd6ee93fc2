// Programs from PyPI that the tests drive, each in a virtual environment of the checkout, with its version pinned.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface PythonEnvironment {
  /** The path of a program in the environment. */
  readonly program: (name: string) => string;
  /** Creates the environment if it is missing or has other requirements; false when Python or PyPI fails. */
  readonly install: () => boolean;
  /** For a test's `skip`: a reason when the environment is missing, else false. */
  readonly skipWithout: () => string | false;
}

/** `options`: options of Python's `venv`. */
export function pythonEnvironment(
  name: string,
  requirements: readonly string[],
  options: readonly string[] = [],
): PythonEnvironment {
  const folder = join(import.meta.dirname, '../../.cache', name);
  const stamp = join(folder, 'requirement');
  const wanted = [...options, ...requirements].join('\n');
  const program = (each: string) => join(folder, 'bin', each);
  const isInstalled = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  return {
    program,
    install() {
      if (isInstalled()) return true;
      console.error(`Installing ${requirements.join(', ')} from PyPI in .cache/${name}.`);
      rmSync(folder, { recursive: true, force: true });
      const made =
        run('/usr/bin/python3', '-m', 'venv', ...options, folder) &&
        run(program('pip'), 'install', '--quiet', '--disable-pip-version-check', ...requirements);
      if (made) writeFileSync(stamp, wanted);
      return made;
    },
    skipWithout: () =>
      !isInstalled() && `${requirements.join(' and ')} from PyPI not installed; npm test installs them`,
  };
}

export const run = (program: string, ...words: readonly string[]): boolean =>
  spawnSync(program, words, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
