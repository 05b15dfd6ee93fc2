// The daemon as the DHCP server of a network space, by default started by `with-sockets dhcp-server -- ironic-edge serve`.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createDatabase, type Database } from '../../../daemon/db/database.ts';
import type { LeaseRecord } from '../../../daemon/db/tables/boot/dhcp-leases.ts';
import type { NetworkSpace } from './network-space.ts';

const CLI = join(import.meta.dirname, '../../../daemon/cli');
export const WITH_SOCKETS = join(CLI, 'with-sockets');
const COMMAND = join(CLI, 'ironic-edge');

export type LogLine = Readonly<Record<string, unknown>>;

/** Nobody need wait for it. */
function unobserved() {
  const made = Promise.withResolvers<void>();
  made.promise.catch(() => {});
  return made;
}

export class DhcpServerProcess implements AsyncDisposable {
  readonly log: LogLine[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), 'dhcp-server-'));
  readonly #space: NetworkSpace;
  readonly #launcher: readonly string[];
  #child: ChildProcess | undefined;
  #changed = unobserved();

  /** `launcher`: the words of a command that opens sockets and starts the daemon with them; empty: the daemon gets no sockets. */
  constructor(space: NetworkSpace, launcher: readonly string[] = [WITH_SOCKETS, 'dhcp-server', '--']) {
    this.#space = space;
    this.#launcher = launcher;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Opens the database of the daemon, which must not run. */
  database(): Database {
    return createDatabase(join(this.#folder, 'ironic-edge.sqlite'));
  }

  /** All leases, also those that have ended. The daemon must not run. */
  leases(): readonly LeaseRecord[] {
    const db = this.database();
    try {
      return db.dhcpLeases.list();
    } finally {
      db.close();
    }
  }

  /**
   * Resolves when the daemon serves; rejects with its standard error when it ends before that. `options`: of [dhcp_server]. `more`:
   * further variables of its environment.
   */
  async start(
    options: Readonly<Record<string, string>>,
    more: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const settings = Object.entries(options).map(
      ([name, value]) => `IRONIC_DHCP_SERVER__${name.toUpperCase()}=${value}`,
    );
    const environment = [
      `IRONIC_DEFAULT__STATE_PATH=${this.#folder}`,
      'IRONIC_API__PORT=0',
      // boot events are logged at the level debug
      'IRONIC_DEFAULT__DEBUG=true',
      'IRONIC_WATCHDOG__WARNING_MILLISECONDS=0',
      ...settings,
      ...Object.entries(more).map(([name, value]) => `${name}=${value}`),
    ];
    const child = this.#space.spawn('env', ...environment, ...this.#launcher, COMMAND, 'serve');
    this.#child = child;
    let words = '';
    child.stderr.on('data', (chunk: Buffer) => (words += chunk.toString()));
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.log.push(JSON.parse(line) as LogLine);
      this.#changed.resolve();
      this.#changed = unobserved();
    });
    child.once('close', () => {
      this.#changed.reject(new Error(`the daemon has ended: ${words.trim()}`));
      this.#changed = unobserved();
    });
    await this.logged(({ msg }) => msg === 'ready', this.log.length);
  }

  /** Resolves to the first log line that fits, at or after line number `from`; waits until there is one. Rejects when the daemon ends. */
  async logged(fits: (line: LogLine) => boolean, from = 0): Promise<LogLine> {
    for (let at = from; ; at += 1) {
      while (at >= this.log.length) await this.#changed.promise;
      const line = this.log[at] ?? {};
      if (fits(line)) return line;
    }
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'close');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
