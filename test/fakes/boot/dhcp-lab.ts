// A real dnsmasq and real DHCP clients in a network namespace.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { NetworkSpace } from './network-space.ts';
import { skipWithout } from '../../setup/packages.ts';

/** For a test's `skip`: a reason when a package is missing, otherwise false. */
export const skipWithoutDhcpLab = (): string | false =>
  skipWithout('dnsmasq-base') || skipWithout('udhcpc') || skipWithout('iproute2');

// dnsmasq and udhcpc end with the process that started them
const DNSMASQ =
  `setpriv --pdeathsig KILL dnsmasq --no-daemon --conf-file=/dev/null --port=0 --no-ping --log-dhcp
 --interface=server --bind-interfaces --dhcp-range=10.99.0.100,10.99.0.150,1h`.split(/\s+/);
const PRINT_LEASE = join(import.meta.dirname, 'print-lease.sh');
const UDHCPC = `setpriv --pdeathsig KILL udhcpc --foreground --quit --now --retries 20 --timeout 1
 -O 60 -O 66 -O 67 -O 150 --script ${PRINT_LEASE}`.split(/\s+/);

/** The environment in which udhcpc passes the lease of a client to its script. */
export type Lease = Readonly<Record<string, string>>;

export class DhcpLab implements AsyncDisposable {
  /** The log lines of all dnsmasq processes. */
  readonly log: string[] = [];
  readonly #words: readonly string[];
  readonly #space: NetworkSpace;
  #dnsmasq: { readonly child: ChildProcess; readonly lines: Interface } | undefined;

  private constructor(words: readonly string[], space: NetworkSpace) {
    this.#words = words;
    this.#space = space;
  }

  /** `words` are additional options of dnsmasq. */
  static async start(...words: readonly string[]): Promise<DhcpLab> {
    return new DhcpLab(words, await NetworkSpace.start());
  }

  async startDnsmasq(): Promise<void> {
    const from = this.log.length;
    const [program, ...words] = this.#space.inside(...DNSMASQ, ...this.#words);
    const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'] });
    const lines = createInterface({ input: child.stderr });
    lines.on('line', (line) => this.log.push(line));
    this.#dnsmasq = { child, lines };
    await this.#logged(/sockets bound exclusively/, from);
    for (const directory of this.#watched) await this.hasRead(readdirSync(directory), from);
  }

  async stopDnsmasq(): Promise<void> {
    const child = this.#dnsmasq?.child;
    this.#dnsmasq = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill();
    await once(child, 'exit');
  }

  /** Resolves when dnsmasq has logged, at or after line number `from` of the log, that it read each of the files. */
  async hasRead(files: readonly string[], from: number): Promise<void> {
    for (const file of files) await this.#logged(new RegExp(`read \\S*/${file}$`), from);
  }

  /** Requests a lease for a machine with this MAC address. Resolves to what dnsmasq did with the machine. */
  async ask(mac: string): Promise<'served' | 'ignored'> {
    return (await this.lease(mac)) === undefined ? 'ignored' : 'served';
  }

  /** Requests a lease for a machine with this MAC address; undefined when dnsmasq ignores it. `words`: options of udhcpc. */
  async lease(mac: string, words: readonly string[] = []): Promise<Lease | undefined> {
    const from = this.log.length;
    const onInterface = ['--interface', this.#space.interfaceOf(mac)];
    const [program, ...rest] = this.#space.inside(...UDHCPC, ...onInterface, ...words);
    const client = spawn(program, rest, { stdio: ['ignore', 'pipe', 'ignore'] });
    const given: string[] = [];
    createInterface({ input: client.stdout }).on('line', (line) => given.push(line));
    const ended = once(client, 'close');
    const answer = await this.#logged(new RegExp(`DHCPACK\\(server\\) \\S+ ${mac}|${mac} ignored`), from);
    const isServed = answer.includes('DHCPACK');
    if (!isServed) client.kill();
    const [status] = (await ended) as [number | null];
    if (!isServed) return undefined;
    if (status !== 0) throw new Error(`udhcpc failed although dnsmasq gave it a lease: ${answer}`);
    return Object.fromEntries(given.map((line) => line.split(/=(.*)/s, 2)) as [string, string][]);
  }

  async #logged(pattern: RegExp, from: number): Promise<string> {
    for (let read = from; ; read += 1) {
      while (read >= this.log.length) {
        if (this.#dnsmasq === undefined) throw new Error('dnsmasq is not running');
        await once(this.#dnsmasq.lines, 'line');
      }
      const line = this.log[read] ?? '';
      if (pattern.test(line)) return line;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopDnsmasq();
    await this.#space[Symbol.asyncDispose]();
  }

  get #watched(): readonly string[] {
    return this.#words.flatMap((word) => /^--dhcp-(?:hosts|opts)dir=(.*)/.exec(word)?.[1] ?? []);
  }
}
