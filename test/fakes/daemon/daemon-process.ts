// The real daemon as a child process, on a free port and with a state directory of its own. Disposing of it ends the process
// and removes the directory: `await using daemon = await DaemonProcess.start()`.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { reasonOf } from '../../../daemon/model/faults.ts';
import type { Node } from '../../../daemon/model/records/node.ts';

/** `IRONIC_<SECTION>__<OPTION>` and other variables, in addition to the test's own environment. */
export type Environment = Readonly<Record<string, string>>;

/** A line of standard output that is a JSON object. */
export type LogLine = Readonly<Record<string, unknown>>;

export interface Answer<Body = Readonly<Record<string, unknown>>> {
  readonly status: number;
  /** Null when the answer has no body. */
  readonly body: Body;
}

export interface ApiNode extends Node {
  readonly reservation: string | null;
}

const COMMAND = join(import.meta.dirname, '../../../daemon/cli/ironic-edge');
const WITH_SOCKETS = join(import.meta.dirname, '../../../daemon/cli/with-sockets');
const REREAD_MILLISECONDS = 100;
const VERSION = { 'x-openstack-ironic-api-version': '1.115' };

// a busy test finds out late that the daemon has closed an idle connection, and would send a request on it
const CONNECTION_PER_REQUEST = new Agent({ pipelining: 0 });

interface Run {
  readonly child: ChildProcess;
  readonly exited: Promise<unknown>;
  readonly url: string;
  /** How long it took from the start of the process until the daemon was ready. */
  readonly readyAfterMilliseconds: number;
}

export class DaemonProcess implements AsyncDisposable {
  readonly statePath: string;
  /** The log of all runs. */
  readonly log: LogLine[] = [];
  readonly #output: string[] = [];
  readonly #readers = new Set<() => void>();
  #run: Run | undefined;

  readonly #command: readonly [string, ...string[]];

  private constructor(statePath: string, sockets: readonly string[]) {
    this.statePath = statePath;
    this.#command =
      sockets.length === 0 ? [COMMAND, 'serve'] : [WITH_SOCKETS, ...sockets, '--', COMMAND, 'serve'];
  }

  /**
   * Resolves when the daemon serves; rejects with its output when it ends before that. `sockets` are the names of the
   * sockets that are passed to it.
   */
  static async start(environment: Environment = {}, sockets: readonly string[] = []): Promise<DaemonProcess> {
    const daemon = new DaemonProcess(await mkdtemp(join(tmpdir(), 'ironic-edge-test-')), sockets);
    try {
      await daemon.#launch(environment);
    } catch (error) {
      await daemon[Symbol.asyncDispose]();
      throw error;
    }
    return daemon;
  }

  /** Changes with each start. */
  get url(): string {
    return this.#running.url;
  }

  get pid(): number {
    return this.#running.child.pid ?? 0;
  }

  get readyAfterMilliseconds(): number {
    return this.#running.readyAfterMilliseconds;
  }

  get #running(): Run {
    if (this.#run === undefined) throw new Error('the daemon is not running');
    return this.#run;
  }

  /** Like a power cut, except that data in the kernel's cache survive. */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  /** Stops the daemon with a signal; rejects when the exit status is not 0. */
  async stop(): Promise<void> {
    const { child } = this.#running;
    await this.#end('SIGTERM');
    if (child.exitCode !== 0)
      throw new Error(`the daemon did not end with exit status 0: ${this.#lastWords()}`);
  }

  /** Starts again on the same state, after `kill` or `stop`. */
  restart(environment: Environment = {}): Promise<void> {
    return this.#launch(environment);
  }

  /** Sends a signal to the child, for a preloaded module. */
  signal(name: NodeJS.Signals): void {
    this.#running.child.kill(name);
  }

  /** Waits until the daemon ends by itself. Resolves to the signal that ended it, and to its output without the log. */
  async ended(): Promise<{ readonly signal: NodeJS.Signals | null; readonly output: string }> {
    const { child, exited } = this.#running;
    await exited;
    this.#run = undefined;
    return { signal: child.signalCode, output: this.#output.join('') };
  }

  /** Reads nothing of the daemon's standard output until `resume` is called. */
  stopReading(): { readonly resume: () => void } {
    const { child } = this.#running;
    child.stdout?.pause();
    return { resume: () => void child.stdout?.resume() };
  }

  /** Resolves to the first line that `matches`, at or after line number `from` of the log; waits until there is one. */
  async logged(matches: (line: LogLine) => boolean, from = 0): Promise<LogLine> {
    for (let read = from; ; read += 1) {
      while (read >= this.log.length) await this.#nextLine();
      const line = this.log[read];
      if (line !== undefined && matches(line)) return line;
    }
  }

  async request<Body = Readonly<Record<string, unknown>>>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<Answer<Body>> {
    const json = body !== undefined && {
      headers: { ...VERSION, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: VERSION,
      ...json,
      dispatcher: CONNECTION_PER_REQUEST,
    }).catch((error: unknown) => {
      const { child } = this.#running;
      const end = child.exitCode ?? child.signalCode;
      const state =
        end === null ? 'the daemon still runs' : `the daemon ended with ${end}: ${this.#lastWords()}`;
      throw new Error(`${method} ${path}: ${reasonOf(error)}; ${state}`, { cause: error });
    });
    const text = await answer.text();
    return { status: answer.status, body: (text === '' ? null : JSON.parse(text)) as Body };
  }

  async node(identifier: string): Promise<ApiNode> {
    return (await this.request<ApiNode>('GET', `/v1/nodes/${identifier}`)).body;
  }

  /** The node as soon as `is` is true. Reads it after each line of the log, and in between, as not every change is logged. */
  async nodeWhen(identifier: string, is: (node: ApiNode) => boolean): Promise<ApiNode> {
    for (;;) {
      const seen = this.log.length;
      const node = await this.node(identifier);
      if (is(node)) return node;
      if (this.log.length === seen) await Promise.race([this.#nextLine(), wait(REREAD_MILLISECONDS)]);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#run !== undefined) await this.kill();
    await rm(this.statePath, { recursive: true, force: true });
  }

  async #launch(environment: Environment): Promise<void> {
    const started = performance.now();
    const [program, ...words] = this.#command;
    const child = spawn(program, words, {
      env: {
        ...process.env,
        IRONIC_DEFAULT__STATE_PATH: this.statePath,
        IRONIC_API__PORT: '0',
        // a test machine that is busy blocks the event loop too
        IRONIC_WATCHDOG__WARNING_MILLISECONDS: '0',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // a test that crashes must not leave the daemon running
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    const exited = once(child, 'close').then(() => process.removeListener('exit', kill));
    void exited.then(() => this.#wakeReaders());
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.#output.push(text));
    const url = await this.#firstReadyLine(child, exited);
    this.#run = { child, exited, url, readyAfterMilliseconds: performance.now() - started };
  }

  #firstReadyLine(child: ChildProcess & { stdout: NodeJS.ReadableStream }, exited: Promise<unknown>) {
    return new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', (text) => {
        const line = parsed(text);
        if (line === undefined) this.#output.push(text);
        else this.log.push(line);
        if (line?.['msg'] === 'ready') resolve(String(line['url']));
        this.#wakeReaders();
      });
      void exited.then(() => reject(new Error(`the daemon ended: ${this.#lastWords()}`)));
    });
  }

  #nextLine(): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake = () => {
        this.#readers.delete(wake);
        if (this.#running.child.exitCode === null && this.#running.child.signalCode === null) resolve();
        else reject(new Error(`the daemon ended: ${this.#lastWords()}`));
      };
      this.#readers.add(wake);
    });
  }

  #wakeReaders(): void {
    for (const wake of this.#readers) wake();
  }

  #lastWords(): string {
    return [...this.log.slice(-10).map((line) => JSON.stringify(line)), ...this.#output.slice(-10)].join(
      '\n',
    );
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const { child, exited } = this.#running;
    child.kill(signal);
    await exited;
    this.#run = undefined;
  }
}

function parsed(text: string): LogLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as LogLine) : undefined;
  } catch {
    return undefined;
  }
}
