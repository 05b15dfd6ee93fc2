// Runs the programs that build a ramdisk. Their output goes to a log file; when one fails, the error shows the end of the log.
import { type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, closeSync, constants, openSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Each program and the Debian package that contains it. */
const NEEDED: Readonly<Record<string, string>> = {
  debootstrap: 'debootstrap',
  unshare: 'util-linux',
  cpio: 'cpio',
};

const SHOWN_LINES = 8;

/** Throws an Error that names the packages to install when programs are missing. */
export function requirePrograms(path = process.env['PATH'] ?? ''): void {
  const places = [...path.split(delimiter), '/usr/sbin', '/sbin'];
  const missing = Object.entries(NEEDED).filter(
    ([program]) => !places.some((place) => isExecutable(join(place, program))),
  );
  if (missing.length === 0) return;
  const programs = missing.map(([program]) => program).join(', ');
  const packages = [...new Set(missing.map(([, name]) => name))].join(' ');
  throw new Error(`${programs}: not found. Install them: apt-get install ${packages}`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A program's standard output; undefined when it fails or is not installed. */
export function outputOf(program: string, ...words: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(program, words, { encoding: 'utf8', env: environment() });
  return status === 0 ? stdout : undefined;
}

export interface Programs {
  run(program: string, ...words: readonly string[]): Promise<void>;
  /** Runs a program with `tree` as its root, in mount and process namespaces that end with it. */
  inside(tree: string, program: string, ...words: readonly string[]): Promise<void>;
}

/** The programs write to `logFile`. */
export function createPrograms(logFile: string): Programs {
  const run = async (program: string, ...words: readonly string[]): Promise<void> => {
    const log = openSync(logFile, 'a');
    try {
      const options: SpawnOptions = { stdio: ['ignore', log, log], env: environment() };
      const [status] = (await once(spawn(program, words, options), 'exit')) as [number | null];
      if (status !== 0) throw new Error(failure(logFile, [program, ...words], status));
    } finally {
      closeSync(log);
    }
  };
  return { run, inside: (tree, ...command) => run('unshare', ...rootedIn(tree), ...command) };
}

function failure(logFile: string, command: readonly string[], status: number | null): string {
  const last = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-SHOWN_LINES);
  const shown = command.join(' ').slice(0, 200);
  return `${shown} ended with status ${status}. The end of ${logFile}:\n${last.join('\n')}`;
}

/** Like `inside`; returns the program's output. */
export const outputInside = (tree: string, program: string, ...words: readonly string[]) =>
  outputOf('unshare', ...rootedIn(tree), program, ...words);

const rootedIn = (tree: string): readonly string[] => [
  '--mount',
  '--pid',
  '--fork',
  '--kill-child',
  `--root=${tree}`,
  '--mount-proc',
  '--',
  'env',
  // the ramdisk of the kernel package is not needed
  'INITRD=No',
  'DEBIAN_FRONTEND=noninteractive',
  'LC_ALL=C',
  'HOME=/root',
];

/**
 * The environment for the programs, with the proxy that the host's apt uses: debootstrap and the programs in the tree do not read
 * the configuration of the host's apt.
 */
function environment(): NodeJS.ProcessEnv {
  const path = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`;
  const proxy = spawnSync('apt-config', ['shell', 'proxy', 'Acquire::http::Proxy'], { encoding: 'utf8' });
  const [, url] = (proxy.stdout ?? '').trim().split("'");
  return { ...process.env, PATH: path, ...(url !== undefined && url !== 'DIRECT' && { http_proxy: url }) };
}
