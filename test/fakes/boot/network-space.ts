// A virtual link between a server and its clients, in a network namespace that ends with this process and needs no
// root: `server` (10.99.0.1/24) on one end, a network interface for each client's MAC address on the other.
import { type ChildProcess, type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import process from 'node:process';
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

  private constructor(holder: ChildProcess) {
    this.#process = holder;
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
    return spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
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

  /** Ends every process inside, also the helpers of dhcpcd, which outlive it and hold its lock and its standard error. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { pid } = this.#process;
    const ended = once(this.#process, 'exit');
    const space = spaceOf(String(pid));
    const inside = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && spaceOf(name) === space);
    for (const name of inside) endProcess(Number(name));
    await ended;
  }
}

/** Names the network namespace of the process; undefined when it has ended or is another user's. */
function spaceOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return undefined;
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended meanwhile
  }
}

/** Ends the program once it has written `last` to standard error; resolves to all that it wrote. Rejects when it ends before that. */
export async function saidUntil(child: ReturnType<NetworkSpace['spawn']>, last: string): Promise<string> {
  const ended = once(child, 'exit');
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      said += String(chunk);
      if (said.includes(last)) resolve();
    });
    // not when the pipe closes, which a helper of the program may hold open: what the program wrote is read in the next turn
    const silent = () => reject(new Error(`${child.spawnargs.join(' ')} ended without "${last}": ${said}`));
    void ended.then(() => setImmediate(() => setImmediate(silent)));
  });
  child.kill();
  // the next program may use the same port and files
  await ended;
  return said;
}
