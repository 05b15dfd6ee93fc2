// The real `baremetal` client: as the command that operators type, and Debian's also with all commands in one process.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

export interface Finished {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Run = (words: readonly string[]) => Promise<Finished>;

/** Command lines of `baremetal`, with the outcome that each must have; words are parted by single spaces. */
export interface Baremetal {
  /** Succeeds; what it printed. */
  readonly done: (line: string) => Promise<string>;
  /** Succeeds; what it printed with `-f json`. */
  readonly json: (line: string) => Promise<unknown>;
  /** Ends with exit status 1; its message. */
  readonly refused: (line: string) => Promise<string>;
}

function expecting(finish: Run): Baremetal {
  const output = async (line: string, expected: number) => {
    const { exit, stdout, stderr } = await finish(line.split(' '));
    assert.equal(exit, expected, `baremetal ${line}: ${stdout}${stderr}`);
    return { stdout, stderr };
  };
  return {
    done: async (line) => (await output(line, 0)).stdout,
    json: async (line) => JSON.parse((await output(`${line} -f json`, 0)).stdout) as unknown,
    refused: async (line) => (await output(line, 1)).stderr,
  };
}

const environment = (url: string) => ({ ...process.env, OS_AUTH_TYPE: 'none', OS_ENDPOINT: url });

/** A process for each command; Debian's client unless another is named. */
export function baremetalCommand(url: string, program = 'baremetal'): Baremetal {
  return expecting((words) => run(program, words, url));
}

/** Debian's own Python, which has the client's modules, runs a script of this folder with the client's environment. */
export function runPython(script: string, words: readonly string[], url: string): Promise<Finished> {
  return run(PYTHON, [join(import.meta.dirname, script), ...words], url);
}

const PYTHON = '/usr/bin/python3';

async function run(program: string, words: readonly string[], url: string): Promise<Finished> {
  const child = spawn(program, words, { env: environment(url), stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [exit]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ]);
  return { exit, stdout, stderr };
}

/** One process for all commands, one command after the other. */
export function baremetalShell(url: string): Baremetal & AsyncDisposable {
  const child = spawn(PYTHON, [join(import.meta.dirname, 'baremetal-shell.py')], {
    env: environment(url),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const inShell: Run = async (words) => {
    child.stdin.write(`${JSON.stringify(words)}\n`);
    const answer = await answers.next();
    if (answer.done === true) throw new Error(`the client ended at: baremetal ${words.join(' ')}`);
    return JSON.parse(answer.value) as Finished;
  };
  return {
    ...expecting(inShell),
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
