// The host that setup changes: its files and programs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';

export interface EndedProgram {
  /** null: the program is not there, or a signal ended it. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Host {
  /** Where the paths of this host begin; empty outside tests. */
  readonly root: string;
  /** Runs a program. `command`: the program and its arguments. Never rejects. `doing` gets each line of its output. */
  run(command: readonly string[], doing?: (line: string) => void): Promise<EndedProgram>;
}

/**
 * Programs are in a process group of their own: Ctrl-C reaches setup alone, and setup ends when the program has. A package manager
 * that is interrupted leaves packages half installed.
 */
export const thisHost: Host = {
  root: '',
  async run([program = '', ...words], doing) {
    const child = spawn(program, words, {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      env: {
        ...process.env,
        PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`,
        LC_ALL: 'C',
        DEBIAN_FRONTEND: 'noninteractive',
      },
    });
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      createInterface({ input: child[name] }).on('line', (line) => {
        said[name] += `${line}\n`;
        doing?.(line);
      });
    try {
      const [status] = (await once(child, 'close')) as [number | null];
      return { status, ...said };
    } catch (error) {
      return { status: null, stdout: '', stderr: `${program}: ${String(error)}` };
    }
  },
};

/** Runs a program and returns its standard output; undefined when it fails. */
export async function outputOn(host: Host, ...command: readonly string[]): Promise<string | undefined> {
  const { status, stdout } = await host.run(command);
  return status === 0 ? stdout : undefined;
}

/** Runs a program. Throws an Error with the end of what it wrote when it fails. */
export async function must(
  host: Host,
  command: readonly string[],
  doing?: (line: string) => void,
): Promise<void> {
  const { status, stdout, stderr } = await host.run(command, doing);
  if (status === 0) return;
  const said = (stderr.trim() || stdout.trim()).split('\n').slice(-SHOWN_LINES).join('\n');
  throw new Error(
    `"${command.join(' ')}" failed${status === null ? '' : ` with status ${status}`}:\n${said}`,
  );
}

const SHOWN_LINES = 8;

/** The text of a file; undefined when there is none. */
export function hostText(host: Host, path: string): string | undefined {
  const file = host.root + path;
  return statSync(file, { throwIfNoEntry: false }) === undefined ? undefined : readFileSync(file, 'utf8');
}
