// The real ironic-pxe-filter as a child process, killed on disposal.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Environment, LogLine } from '../daemon/daemon-process.ts';

export const FILTER_COMMAND = join(import.meta.dirname, '../../../pxe-filter/ironic-pxe-filter');

export class FilterProcess implements AsyncDisposable {
  readonly log: LogLine[] = [];
  readonly #child: ChildProcess;
  readonly #lines: Interface;
  readonly #closed: Promise<unknown>;

  private constructor(command: readonly string[], environment: Environment) {
    const [program = '', ...words] = command;
    const child = spawn(program, words, {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    this.#child = child;
    this.#closed = once(child, 'close').then(() => process.removeListener('exit', kill));
    this.#lines = createInterface({ input: child.stdout });
    this.#lines.on('line', (line) => this.log.push(JSON.parse(line) as LogLine));
  }

  /** `within`: the words of a command that runs the filter. Resolves when the filter has logged `ready`. */
  static async start(environment: Environment, within: readonly string[] = []): Promise<FilterProcess> {
    const filter = new FilterProcess([...within, FILTER_COMMAND, 'serve'], environment);
    await filter.logged((line) => line['msg'] === 'ready');
    return filter;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resolves to the first line that `matches`, at or after line number `from` of the log; waits until there is one. */
  async logged(matches: (line: LogLine) => boolean, from = 0): Promise<LogLine> {
    for (let read = from; ; read += 1) {
      while (read >= this.log.length) {
        const ended = this.#closed.then(() => {
          throw new Error(`the filter ended: ${JSON.stringify(this.log.slice(-5))}`);
        });
        await Promise.race([once(this.#lines, 'line'), ended]);
      }
      const line = this.log[read];
      if (line !== undefined && matches(line)) return line;
    }
  }

  /** Sends the signal. Resolves to the exit status, or to null when a signal ended the filter. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal);
    await this.#closed;
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL');
  }
}
