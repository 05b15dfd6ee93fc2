// Runs the programs that build a ramdisk. Their output goes to a log file; when one fails, the error shows the end of the log.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, appendFileSync, constants, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { DebianArchitecture } from './packages.ts';

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

/** The name that the kernel's registry has for the emulator of each architecture. */
const EMULATORS = { amd64: 'qemu-x86_64', arm64: 'qemu-aarch64' } as const;

/** Throws an Error that names the package to install when this host cannot run programs of the architecture. */
export function requireEmulation(
  architecture: DebianArchitecture,
  registry = '/proc/sys/fs/binfmt_misc',
): void {
  if (existsSync(join(registry, EMULATORS[architecture]))) return;
  throw new Error(
    `this host cannot run programs for ${architecture}. Install an emulator: apt-get install qemu-user-static`,
  );
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

/** What the programs write goes to `logFile`, and each of their lines to `doing`. */
export function createPrograms(logFile: string, doing: (line: string) => void): Programs {
  const run = async (program: string, ...words: readonly string[]): Promise<void> => {
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env: environment() });
    const ended = once(child, 'close') as Promise<[number | null]>;
    const take = (piece: Buffer) => {
      appendFileSync(logFile, piece);
      const line = piece.toString().trimEnd().split('\n').at(-1) ?? '';
      if (line !== '') doing(line);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    const [status] = await ended;
    if (status !== 0) throw new Error(failure(logFile, [program, ...words], status));
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
