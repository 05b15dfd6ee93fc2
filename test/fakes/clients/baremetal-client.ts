// The real `baremetal` client: one process per command, or all commands in one process.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { clientEnvironment, clientShell } from './client-shell.ts';

interface Finished {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Run = (words: readonly string[]) => Promise<Finished>;

/** The words of a command, or one string with single spaces between them. */
export type Line = string | readonly string[];

/** Runs command lines of `baremetal` and checks their outcome. */
export interface Baremetal {
  /** Checks that the command succeeds, and returns its output. */
  readonly done: (line: Line) => Promise<string>;
  /** Checks that the command succeeds, and returns its output with `-f json`. */
  readonly json: (line: Line) => Promise<unknown>;
  /** Checks that the command ends with exit status 1, and returns its message. */
  readonly refused: (line: Line) => Promise<string>;
}

const wordsOf = (line: Line) => (typeof line === 'string' ? line.split(' ') : line);

function expecting(finish: Run): Baremetal {
  const output = async (words: readonly string[], expected: number) => {
    const { exit, stdout, stderr } = await finish(words);
    assert.equal(exit, expected, `baremetal ${words.join(' ')}: ${stdout}${stderr}`);
    return { stdout, stderr };
  };
  return {
    done: async (line) => (await output(wordsOf(line), 0)).stdout,
    json: async (line) => JSON.parse((await output([...wordsOf(line), '-f', 'json'], 0)).stdout) as unknown,
    refused: async (line) => (await output(wordsOf(line), 1)).stderr,
  };
}

/** A process for each command; Debian's client unless another is named. */
export function baremetalCommand(url: string, program = 'baremetal'): Baremetal {
  return expecting((words) => run(program, words, url));
}

async function run(program: string, words: readonly string[], url: string): Promise<Finished> {
  const child = spawn(program, words, { env: clientEnvironment(url), stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [exit]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ]);
  return { exit, stdout, stderr };
}

/** The Python interpreter that has the modules of Debian's clients. */
export const DEBIAN_PYTHON = '/usr/bin/python3';

/** One process for all commands, one command after the other; Debian's client unless the Python of another is named. */
export function baremetalShell(url: string, python = DEBIAN_PYTHON): Baremetal & AsyncDisposable {
  const shell = clientShell(url, python, join(import.meta.dirname, 'baremetal-shell.py'));
  return {
    ...expecting(async (words) => (await shell.ask(words)) as Finished),
    [Symbol.asyncDispose]: () => shell[Symbol.asyncDispose](),
  };
}
