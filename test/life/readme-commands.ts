// The commands of "A first machine" in the README, typed into a shell one after another as a reader would.
import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Returns the commands, each with the lines that belong to it, such as a document behind `<<`; without comments. */
export function readmeCommands(): readonly string[] {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const [, section = ''] = readme.split('\n## A first machine\n');
  const [, block = ''] = section.split('```sh\n');
  const [text = ''] = block.split('```');
  const commands: string[] = [];
  let open: string | undefined;
  for (const line of text.split('\n')) {
    const command = open === undefined ? line : `${open}\n${line}`;
    open = isComplete(command) ? undefined : command;
    if (open === undefined && command !== '' && !command.startsWith('#')) commands.push(command);
  }
  return commands;
}

/** Whether no line has to follow: a document behind `<<` ends with its word, and other lines are continued by a backslash. */
function isComplete(command: string): boolean {
  const [, end] = /<<'(\w+)'/.exec(command) ?? [];
  return end === undefined ? !command.endsWith('\\') : command.endsWith(`\n${end}`);
}

/** For the commands that the pattern matches: texts, and what is typed in their place. */
export type Change = readonly [RegExp, Readonly<Record<string, string>>];

/**
 * Types the README's commands, with the changes, and waits after the start of the daemon until it is ready. Rejects when a command
 * fails, and when a change finds nothing to change.
 */
export async function followReadme(shell: ReaderShell, changes: readonly Change[]): Promise<void> {
  const commands = readmeCommands();
  for (const [pattern] of changes)
    assert.ok(
      commands.some((command) => pattern.test(command)),
      `the README has no command ${pattern.source}`,
    );
  for (const command of commands) {
    const [, texts = {}] = changes.find(([pattern]) => pattern.test(command)) ?? [];
    await shell.type(changed(command, texts));
    if (command.startsWith('with-sockets')) await shell.sees('ironic-edge is ready');
  }
}

const changed = (command: string, texts: Readonly<Record<string, string>>): string =>
  Object.entries(texts).reduce((text, [from, to]) => {
    assert.ok(text.includes(from), `the README's command lacks ${from}: ${command}`);
    return text.replaceAll(from, to);
  }, command);

/** A shell in `folder`; disposing of it ends what the commands have started. */
export class ReaderShell implements AsyncDisposable {
  readonly #shell: ChildProcessWithoutNullStreams;
  #written = '';
  #told = Promise.withResolvers<void>();

  /** `command`: the shell, or a program that starts it elsewhere. */
  constructor(folder: string, [program, ...words]: readonly [string, ...string[]] = ['bash', '--norc']) {
    this.#shell = spawn(program, words, { cwd: folder, detached: true });
    for (const stream of [this.#shell.stdout, this.#shell.stderr])
      stream.on('data', (piece: Buffer) => {
        this.#written += piece.toString();
        this.#told.resolve();
        this.#told = Promise.withResolvers();
      });
    this.#shell.once('exit', () => this.#told.resolve());
  }

  /** Types the command, and returns what it wrote. Rejects when it fails. */
  async type(command: string): Promise<string> {
    const from = this.#written.length;
    const mark = randomUUID();
    this.#shell.stdin.write(`{ ${command}\n} </dev/null\necho "${mark} $?"\n`);
    const status = await this.#seen(new RegExp(`${mark} (\\d+)\n`), from);
    const [written = ''] = this.#written.slice(from).split(mark);
    assert.equal(status, '0', `${command}\n${written}`);
    return written;
  }

  /** Resolves when the output of the README's commands contains the text. */
  async sees(text: string): Promise<void> {
    await this.#seen(new RegExp(`(${text})`), 0);
  }

  async #seen(wanted: RegExp, from: number): Promise<string> {
    for (;;) {
      const [, found] = wanted.exec(this.#written.slice(from)) ?? [];
      if (found !== undefined) return found;
      if (this.#shell.exitCode !== null) throw new Error(`the shell has ended:\n${this.#written}`);
      await this.#told.promise;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#shell.exitCode !== null || this.#shell.pid === undefined) return;
    const ended = once(this.#shell, 'exit');
    process.kill(-this.#shell.pid, 'SIGKILL');
    await ended;
  }
}
