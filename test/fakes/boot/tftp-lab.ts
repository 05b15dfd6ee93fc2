// A TFTP server at 10.77.0.1 and its clients at 10.77.0.2, in a network namespace that ends with this process and needs no
// root. Packets in both directions can be lost, and those of the server are counted.
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { skipWithout } from '../../setup/packages.ts';

const SERVER = '10.77.0.1';
const SETUP = [
  'ip link set lo up',
  `ip address add ${SERVER}/32 dev lo`,
  'ip address add 10.77.0.2/32 dev lo',
  `ip route change local ${SERVER} dev lo table local src 10.77.0.2`,
  'nft add table ip lab',
  'nft add chain ip lab in { type filter hook input priority 0 ; }',
  'nft add chain ip lab out { type filter hook output priority 0 ; }',
  'nft add counter ip lab sent',
  `nft add rule ip lab out ip saddr ${SERVER} ip protocol udp counter name sent`,
];
const SERVE = join(import.meta.dirname, 'serve-tftp.ts');
// root needs no user namespace, and tftpd-hpa does not run in a user namespace, where setting its groups is refused
const IS_ROOT = process.getuid?.() === 0;
const LIMIT_MILLISECONDS = 120_000;

/** For a test's `skip`: a reason when a package is missing, otherwise false. */
export const skipWithoutTftpLab = (): string | false => skipWithout('iproute2') || skipWithout('nftables');

export class TftpLab implements AsyncDisposable {
  readonly server = SERVER;
  /** The lines that the servers wrote to standard output and standard error. */
  readonly log: string[] = [];
  readonly #space: ChildProcess;
  readonly #servers: ChildProcess[] = [];

  private constructor(space: ChildProcess) {
    this.#space = space;
  }

  static async open(): Promise<TftpLab> {
    const inside = [...(IS_ROOT ? [] : ['--map-root-user']), '--net', 'sh', '-c', 'echo inside; exec cat'];
    const space = spawn('unshare', inside, { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(space.stdout, 'data');
    const lab = new TftpLab(space);
    for (const line of SETUP) lab.#set(line.split(' '));
    return lab;
  }

  /** A lab in which the daemon's server serves the files of `folder` at port 69. */
  static async serving(folder: string): Promise<TftpLab> {
    const lab = await TftpLab.open();
    await lab.serve([process.execPath, SERVE, folder, '69', SERVER], /^10\.77/);
    return lab;
  }

  /** Runs a server until the lab closes; resolves with its process when it has printed a line that matches. */
  async serve(command: readonly string[], ready: RegExp): Promise<ChildProcess> {
    const [program = '', ...words] = this.#inside(command);
    const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#servers.push(child);
    const isReady = Promise.withResolvers<void>();
    for (const output of [child.stdout, child.stderr]) {
      createInterface({ input: output }).on('line', (line) => {
        this.log.push(line);
        if (ready.test(line)) isReady.resolve();
      });
    }
    child.once('exit', () => isReady.reject(new Error(`the server ended: ${this.log.join('\n')}`)));
    await isReady.promise;
    return child;
  }

  /** Each packet is lost with this probability, in per mille. */
  lose(perMille: number): void {
    this.#set(['nft', 'flush', 'chain', 'ip', 'lab', 'in']);
    if (perMille > 0) {
      const rule = `add rule ip lab in ip protocol udp numgen random mod 1000 < ${perMille} drop`;
      this.#set(['nft', ...rule.split(' ')]);
    }
  }

  /** How many packets the server has sent since the last call. */
  countPackets(): number {
    const text = this.#set(['nft', 'reset', 'counter', 'ip', 'lab', 'sent']);
    return Number(/packets (\d+)/.exec(text)?.[1]);
  }

  /** Runs a client; rejects when it fails. Returns its output. */
  async run(...command: readonly string[]): Promise<string> {
    const [program = '', ...words] = this.#inside(command);
    const limits = { timeout: LIMIT_MILLISECONDS, killSignal: 'SIGKILL' } as const;
    const { stdout, stderr } = await promisify(execFile)(program, words, limits);
    return stdout + stderr;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) if (server.exitCode === null) server.kill();
    this.#space.stdin?.end();
    await once(this.#space, 'exit');
  }

  #set(command: readonly string[]): string {
    const [program = '', ...words] = this.#inside(command);
    return execFileSync(program, words, { encoding: 'utf8' });
  }

  #inside(command: readonly string[]): readonly string[] {
    const user = IS_ROOT ? [] : ['--user', '--preserve-credentials'];
    const space = ['--target', String(this.#space.pid), '--net', ...user];
    return ['nsenter', ...space, '--', 'setpriv', '--pdeathsig', 'KILL', '--', ...command];
  }
}
