// A machine behind an IPMI BMC, with a file as its disk. A network boot of the machine starts the real agent in a sandbox, with
// the kernel parameters of the daemon's boot script.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { addToAgent } from '../../daemon/cli/agent-image/build/ramdisk-tree.ts';
import { startBmc } from '../../daemon/simulator/ipmi/machine-bmc.ts';
import { freeTcpPort, freeUdpPort } from '../../daemon/simulator/free-port.ts';
import { newestAgentFolder } from '../setup/newest-agent.ts';

const START = join(import.meta.dirname, 'sandbox/start');
const DISK_BYTES = 4 * 1024 ** 3;

interface MachineSettings {
  readonly mac: string;
  /** Holds disk, kernel parameters and the agent's log. */
  readonly folder: string;
  /** The base URL of the daemon's boot files. */
  readonly bootUrl: string;
  /** Writing to the disk fails: it has no room. */
  readonly hasFullDisk?: boolean;
  /** Kernel parameters that take precedence over those of the daemon. */
  readonly parameters?: string;
  /** Its ramdisk has what `ironic-edge agent-image build` adds to the agent. */
  readonly hasOwnRamdisk?: boolean;
}

/** What a machine runs: `kernel` is that of its instance, started by kexec. */
type Running = 'nothing' | 'agent' | 'kernel' | 'instance';

export class AgentMachine implements AsyncDisposable {
  /** The UDP port of 127.0.0.1 at which the machine's BMC listens. */
  readonly bmcPort: number;
  readonly disk: string;
  readonly #settings: MachineSettings;
  readonly #agentPort: number;
  #stopBmc: (() => Promise<void>) | undefined;
  #bootDevice = 'none';
  #running: ChildProcess | 'kernel' | 'instance' | undefined;

  private constructor(settings: MachineSettings, ports: { bmc: number; agent: number }) {
    this.#settings = settings;
    [this.bmcPort, this.#agentPort] = [ports.bmc, ports.agent];
    this.disk = this.#file('disk');
  }

  /** A machine that is off, with a blank disk. */
  static async add(settings: MachineSettings): Promise<AgentMachine> {
    const machine = new AgentMachine(settings, { bmc: await freeUdpPort(), agent: await freeTcpPort() });
    mkdirSync(settings.folder, { recursive: true });
    chmodSync(settings.folder, 0o777);
    if (settings.hasOwnRamdisk === true) machine.#addOwnParts();
    machine.#makeDisk();
    machine.#stopBmc = await startBmc(
      { address: '127.0.0.1', port: machine.bmcPort },
      {
        power: () => (machine.#running === undefined ? 'off' : 'on'),
        bootDevice: () => machine.#bootDevice,
        setBootDevice: (device) => void (machine.#bootDevice = device),
        switchOn: () => machine.#switchOn(),
        switchOff: () => machine.endAgent(),
      },
    );
    return machine;
  }

  get runs(): Running {
    if (this.#running === undefined) return 'nothing';
    return typeof this.#running === 'string' ? this.#running : 'agent';
  }

  /** What the ramdisk has loaded for kexec: the first bytes of the kernel and of its ramdisk, and the command line. */
  get loaded(): readonly string[] {
    return readFileSync(this.#file('loaded'), 'latin1').split('\n');
  }

  /** What the machine's agents wrote to their terminal and to their log. */
  get agentOutput(): string {
    const read = (name: string) => {
      const path = this.#file(name);
      return existsSync(path) ? readFileSync(path, 'utf8') : '';
    };
    return read('output') + read('agent.log');
  }

  /** What the agent wrote to a partition that it made. */
  partition(number: number): Buffer {
    return readFileSync(this.#file(`partition-${number}`));
  }

  /** Kills the agent, which sends no last message. The BMC then reports the machine as off. */
  async endAgent(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running === undefined || typeof running === 'string') return;
    const ended = once(running, 'close');
    running.kill('SIGKILL');
    await ended;
  }

  /** Does what a reset by hand does: the machine boots what the daemon offers at that time. */
  async reset(): Promise<void> {
    await this.endAgent();
    await this.#switchOn();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.endAgent();
    await this.#stopBmc?.();
  }

  #file(name: string): string {
    return join(this.#settings.folder, name);
  }

  #addOwnParts(): void {
    const tree = this.#file('ramdisk');
    mkdirSync(join(tree, 'usr/lib/python3/dist-packages'), { recursive: true });
    addToAgent(tree);
  }

  #makeDisk(): void {
    writeFileSync(this.#file('disk-bytes'), String(DISK_BYTES));
    if (this.#settings.hasFullDisk === true) return symlinkSync('/dev/full', this.disk);
    writeFileSync(this.disk, '');
    truncateSync(this.disk, DISK_BYTES);
    chmodSync(this.disk, 0o666);
  }

  async #switchOn(): Promise<void> {
    if (this.#running !== undefined) return;
    if (this.#bootDevice === 'default') {
      this.#running = 'instance';
      return;
    }
    const words = await networkBoot(this.#settings);
    if (words === undefined) {
      this.#running = 'instance';
      return;
    }
    writeFileSync(this.#file('command-line'), `${words} ${this.#ownParameters}\n`);
    rmSync(this.#file('switched'), { force: true });
    const output = openSync(this.#file('output'), 'a');
    const agent = spawn(START, [this.#settings.folder, newestAgentFolder], {
      stdio: ['pipe', output, output],
    });
    closeSync(output);
    agent.once('exit', () => {
      if (this.#running !== agent) return;
      this.#running = this.#switched === 'kexec' ? 'kernel' : undefined;
      if (this.#switched === 'reboot') void this.#switchOn();
    });
    this.#running = agent;
  }

  get #ownParameters(): string {
    const port = this.#agentPort;
    const { parameters = '' } = this.#settings;
    return `ipa-listen-host=127.0.0.1 ipa-listen-port=${port} ipa-advertise-host=127.0.0.1 ipa-advertise-port=${port} ipa-disk-wait-attempts=0 ${parameters}`;
  }

  get #switched(): string {
    try {
      return readFileSync(this.#file('switched'), 'utf8');
    } catch {
      return 'crash';
    }
  }
}

/** Returns the kernel parameters that an iPXE client gets; undefined when the daemon has nothing for the client to boot. */
async function networkBoot({ bootUrl, mac }: MachineSettings): Promise<string | undefined> {
  const hyphened = mac.replaceAll(':', '-');
  for (const name of [hyphened, 'unknown']) {
    const answer = await fetch(`${bootUrl}/ipxe/${name}`);
    const script = await answer.text();
    if (answer.status !== 200) continue;
    const [, kernel = '', words = ''] = /^kernel (\S+) (.*?)(?: \|\| .*)?$/m.exec(script) ?? [];
    const [, ramdisk = ''] = /^initrd (\S+)/m.exec(script) ?? [];
    for (const file of [kernel, ramdisk]) await (await fetch(file)).arrayBuffer();
    return words.replace('${mac:hexhyp}', hyphened);
  }
  return undefined;
}
