// A virtual link between a server and its clients, in a network namespace that ends with this process and needs no
// root: `server` (10.99.0.1/24) on one end, a network interface for each client's MAC address on the other.
import { type ChildProcess, type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

const WIRE = [
  ['link', 'add', 'server', 'type', 'veth', 'peer', 'name', 'clients'],
  ['address', 'add', '10.99.0.1/24', 'dev', 'server'],
  ['link', 'set', 'server', 'up'],
  ['link', 'set', 'clients', 'up'],
];

/** Starts a shell that `program` puts into a new network namespace; the shell ends when its input ends. */
async function heldOpen(program: string, words: readonly string[]): Promise<ChildProcess> {
  const child = spawn(program, [...words, 'sh', '-c', 'echo inside; exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

export class NetworkSpace implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #interfaces = new Map<string, string>();
  readonly #children: ChildProcess[] = [];

  private constructor(process: ChildProcess) {
    this.#process = process;
  }

  static async start(): Promise<NetworkSpace> {
    const space = new NetworkSpace(await heldOpen('unshare', ['--map-root-user', '--net']));
    space.run('ip', 'link', 'set', 'lo', 'up');
    space.wire();
    return space;
  }

  /** Makes the link, also again after `server` was deleted. Its interfaces are new devices then. */
  wire(): void {
    this.#interfaces.clear();
    for (const step of WIRE) this.run('ip', ...step);
  }

  /** Returns the command that runs `command` inside the namespace. */
  inside(...command: readonly string[]): readonly [program: string, ...words: string[]] {
    const space = ['--target', String(this.#process.pid), '--user', '--net', '--preserve-credentials'];
    return ['nsenter', ...space, '--', ...command];
  }

  /** Runs the command inside and returns its output. Throws when it fails. */
  run(...command: readonly string[]): string {
    const [program, ...words] = this.inside(...command);
    return execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** Starts the command inside; it ends with this space at the latest. */
  spawn(...command: readonly string[]): ChildProcessByStdio<null, Readable, Readable> {
    const [program, ...words] = this.inside('setpriv', '--pdeathsig', 'KILL', ...command);
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#children.push(child);
    return child;
  }

  /** Returns the network interface of the client with this MAC address; the first call for an address creates it. */
  interfaceOf(mac: string): string {
    const known = this.#interfaces.get(mac);
    if (known !== undefined) return known;
    const name = `client${this.#interfaces.size}`;
    const kind = ['address', mac, 'type', 'macvlan', 'mode', 'bridge'];
    this.run('ip', 'link', 'add', 'link', 'clients', 'name', name, ...kind);
    this.run('ip', 'link', 'set', name, 'up');
    this.#interfaces.set(mac, name);
    return name;
  }

  /** Another host on the link, in a network namespace of its own, with `address` on the network interface `eth0`. */
  async host(address: string): Promise<NetworkSpace> {
    const [program, ...words] = this.inside('unshare', '--net');
    const host = new NetworkSpace(await heldOpen(program, words));
    const kind = ['type', 'macvlan', 'mode', 'bridge'];
    this.run('ip', 'link', 'add', 'link', 'clients', 'name', 'eth0', ...kind);
    this.run('ip', 'link', 'set', 'eth0', 'netns', String(host.#process.pid));
    host.run('ip', 'address', 'add', address, 'dev', 'eth0');
    host.run('ip', 'link', 'set', 'eth0', 'up');
    return host;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    this.#process.stdin?.end();
    await once(this.#process, 'exit');
  }
}

/** Resolves to what the program writes to standard error until it has written `last`; then ends the program. */
export async function saidUntil(child: ReturnType<NetworkSpace['spawn']>, last: string): Promise<string> {
  let said = '';
  for await (const chunk of child.stderr.setEncoding('utf8')) {
    said += String(chunk);
    if (said.includes(last)) break;
  }
  child.kill();
  return said;
}
