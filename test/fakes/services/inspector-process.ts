// ironic-inspector as a child process: SQLite, no PXE filter, no authentication, the daemon as its Ironic.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

export interface InspectorSettings {
  /** The port on loopback where ironic-inspector listens. */
  readonly port: number;
  /** The URL of the API that ironic-inspector uses as its Ironic. */
  readonly ironicUrl: string;
}

const configuration = (directory: string, { port, ironicUrl }: InspectorSettings) => `[DEFAULT]
auth_strategy = noauth
listen_address = 127.0.0.1
listen_port = ${port}
transport_url = fake://
introspection_delay = 0
[database]
connection = sqlite:///${directory}/inspector.sqlite
[ironic]
auth_type = none
endpoint_override = ${ironicUrl}
[processing]
add_ports = all
store_data = database
[pxe_filter]
driver = noop
`;

export class InspectorProcess implements AsyncDisposable {
  readonly url: string;
  readonly #directory: string;
  readonly #child: ChildProcess;

  private constructor(url: string, directory: string, child: ChildProcess) {
    this.url = url;
    this.#directory = directory;
    this.#child = child;
  }

  /** Starts with an empty database; resolves when ironic-inspector serves, or rejects with the end of its log. */
  static async start(settings: InspectorSettings): Promise<InspectorProcess> {
    const directory = await mkdtemp(join(tmpdir(), 'ironic-inspector-'));
    const file = join(directory, 'inspector.conf');
    await writeFile(file, configuration(directory, settings));
    await promisify(execFile)('ironic-inspector-dbsync', ['--config-file', file, 'upgrade']);
    const log = join(directory, 'inspector.log');
    const child = spawn('ironic-inspector', ['--config-file', file, '--log-file', log], { stdio: 'ignore' });
    process.once('exit', () => child.kill('SIGKILL'));
    const inspector = new InspectorProcess(`http://127.0.0.1:${settings.port}`, directory, child);
    try {
      await inspector.#answering();
    } catch (error) {
      const lines = await readFile(log, 'utf8').catch(() => 'it logged nothing');
      await inspector[Symbol.asyncDispose]();
      throw new Error(`ironic-inspector did not start: ${lines.slice(-2000)}`, { cause: error });
    }
    return inspector;
  }

  /** What ironic-inspector knows about the inspection of the node. */
  async introspection(node: string): Promise<Readonly<Record<string, unknown>>> {
    const answer = await fetch(`${this.url}/v1/introspection/${node}`);
    return (await answer.json()) as Readonly<Record<string, unknown>>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGKILL');
      await once(this.#child, 'exit');
    }
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #answering(): Promise<void> {
    const ATTEMPTS = 240;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      if (this.#child.exitCode !== null) throw new Error('it ended');
      const ready = await fetch(`${this.url}/v1`).then(
        async (answer) => (await answer.text()) !== '' && answer.ok,
        () => false,
      );
      if (ready) return;
      await sleep(250);
    }
    throw new Error('it does not answer');
  }
}
