// OpenStack's own Ironic as a child process: API and conductor in one, with a state directory of its own and, unless told
// otherwise, SQLite, fake-hardware and a free port. Disposing of it ends the process and removes the directory.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Environment } from '../fakes/daemon/daemon-process.ts';
import { freeTcpPort } from '../../daemon/simulator/free-port.ts';
import { install, missingPackages, skipWithout } from '../setup/packages.ts';
import { pythonEnvironment } from '../setup/python-environment.ts';

export type Release = 'debian' | 'newest';

interface Installation {
  readonly install: () => boolean;
  readonly daemon: readonly string[];
  readonly createSchema: readonly string[];
}

const debianPackages = [{ name: 'python3-ironic', for: 'the Ironic that ours is compared with' }];
const newestIronic = pythonEnvironment('newest-ironic', ['ironic==39.0.0']);
const debianEntry = (module: string) => ['/usr/bin/python3', '-c', `from ${module} import main; main()`];

const installations: Readonly<Record<Release, Installation>> = {
  debian: {
    install() {
      const missing = missingPackages(debianPackages);
      return missing.length === 0 || install(missing);
    },
    daemon: debianEntry('ironic.cmd.singleprocess'),
    createSchema: debianEntry('ironic.cmd.dbsync'),
  },
  newest: {
    install: newestIronic.install,
    daemon: [newestIronic.program('ironic')],
    createSchema: [newestIronic.program('ironic-dbsync')],
  },
};

/** Options of the configuration, by section and name. */
export type Options = Readonly<Record<string, Readonly<Record<string, string | number>>>>;

/** False when the packages cannot be installed. */
export const installIronic = (release: Release): boolean => installations[release].install();

/** For a test's `skip`: a reason when this release is missing, else false. */
export const skipWithoutIronic = (release: Release): string | false =>
  release === 'debian' ? skipWithout('python3-ironic') : newestIronic.skipWithout();

export interface IronicSettings {
  /** Called with Ironic's own directory. */
  readonly options: (directory: string) => Options;
  readonly host: string;
  readonly port: number;
}

/** The configuration of both sides, by section, except for addresses and state directories. */
export const sharedOptions: Options = {
  DEFAULT: {
    auth_strategy: 'noauth',
    host: 'lab-host',
    enabled_hardware_types: 'fake-hardware',
    enabled_bios_interfaces: 'fake,no-bios',
    enabled_boot_interfaces: 'fake',
    enabled_console_interfaces: 'fake,no-console',
    enabled_deploy_interfaces: 'fake',
    enabled_firmware_interfaces: 'fake,no-firmware',
    enabled_inspect_interfaces: 'fake,no-inspect',
    enabled_management_interfaces: 'fake',
    enabled_network_interfaces: 'noop',
    enabled_power_interfaces: 'fake',
    enabled_raid_interfaces: 'fake,no-raid',
    enabled_rescue_interfaces: 'fake,no-rescue',
    enabled_storage_interfaces: 'noop',
    enabled_vendor_interfaces: 'fake,no-vendor',
  },
  conductor: { automated_clean: 'false', sync_power_state_interval: 0 },
};

/** The same options for our daemon, as environment variables. */
export function ourEnvironment(): Environment {
  const values = Object.entries(sharedOptions).flatMap(([section, options]) =>
    Object.entries(options).map(([name, value]) => [
      `IRONIC_${section.toUpperCase()}__${name.toUpperCase()}`,
      String(value),
    ]),
  );
  return Object.fromEntries(values) as Environment;
}

const ini = (options: Options): string =>
  Object.entries(options)
    .map(([section, values]) =>
      [`[${section}]`, ...Object.entries(values).map(([name, value]) => `${name} = ${value}`)].join('\n'),
    )
    .join('\n');

function configuration(directory: string, { options, host, port }: IronicSettings): string {
  const given = options(directory);
  return ini({
    ...given,
    DEFAULT: { ...given['DEFAULT'], rpc_transport: 'none', state_path: directory },
    database: { connection: `sqlite:///${directory}/ironic.sqlite`, ...given['database'] },
    oslo_concurrency: { lock_path: `${directory}/lock` },
    api: { ...given['api'], host_ip: host, port, api_workers: 1 },
  });
}

export class IronicProcess implements AsyncDisposable {
  readonly url: string;
  readonly directory: string;
  readonly #child: ChildProcess;

  private constructor(directory: string, url: string, child: ChildProcess) {
    this.directory = directory;
    this.url = url;
    this.#child = child;
  }

  /**
   * Installs the release where needed, and resolves when Ironic serves; rejects with the end of Ironic's log when it does not
   * start. Without `given`, Ironic has the options that both sides share, and a free port.
   */
  static async start(release: Release, given?: IronicSettings): Promise<IronicProcess> {
    const { daemon, createSchema } = installations[release];
    if (!installIronic(release)) throw new Error(`Ironic (${release}) can not be installed`);
    const directory = await mkdtemp(join(tmpdir(), 'ironic-'));
    const file = join(directory, 'ironic.conf');
    const settings = given ?? { options: () => sharedOptions, host: '127.0.0.1', port: await freeTcpPort() };
    await writeFile(file, configuration(directory, settings));
    const [program = '', ...words] = createSchema;
    await promisify(execFile)(program, [...words, '--config-file', file, 'create_schema']);
    const log = join(directory, 'ironic.log');
    const [command = '', ...args] = daemon;
    // a separate process group, because newer releases fork
    const child = spawn(command, [...args, '--config-file', file, '--log-file', log], {
      stdio: 'ignore',
      detached: true,
    });
    const ironic = new IronicProcess(directory, `http://${settings.host}:${settings.port}`, child);
    process.once('exit', () => ironic.#signal('SIGKILL'));
    try {
      await ironic.#answering();
    } catch (error) {
      const lines = await readFile(log, 'utf8').catch(() => 'it logged nothing');
      await ironic[Symbol.asyncDispose]();
      throw new Error(`Ironic (${release}) did not start: ${lines.slice(-2000)}`, { cause: error });
    }
    return ironic;
  }

  /** The ID of the group that all of Ironic's processes belong to. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#signal('SIGKILL');
      await once(this.#child, 'exit');
    }
    await rm(this.directory, { recursive: true, force: true });
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null)
      return;
    process.kill(-this.#child.pid, signal);
  }

  async #answering(): Promise<void> {
    const ATTEMPTS = 240;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      if (this.#child.exitCode !== null) throw new Error('it ended');
      const ready = await fetch(`${this.url}/v1/drivers`).then(
        async (answer) => answer.ok && (await answer.text()).includes('"hosts": ["'),
        () => false,
      );
      if (ready) return;
      await sleep(250);
    }
    throw new Error('it does not answer');
  }
}
