// A daemon on loopback with machines whose ramdisk is the real agent.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { IPMI_CREDENTIALS } from '../../daemon/simulator/ipmi/machine-bmc.ts';
import {
  type Answer,
  type ApiNode,
  DaemonProcess,
  type Environment,
} from '../fakes/daemon/daemon-process.ts';
import { freeTcpPort } from '../../daemon/simulator/free-port.ts';
import { skipWithoutNewestAgent } from '../setup/newest-agent.ts';
import { skipWithout } from '../setup/packages.ts';
import { AgentMachine } from './machine.ts';

export const skip =
  (process.getuid?.() !== 0 && 'the sandbox of the agent needs root') ||
  skipWithoutNewestAgent() ||
  skipWithout('openipmi') ||
  skipWithout('ipmitool') ||
  skipWithout('gdisk') ||
  skipWithout('mtools') ||
  skipWithout('parted');

export interface EnrolOptions {
  readonly instance_info?: Readonly<Record<string, unknown>>;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly driver_info?: Readonly<Record<string, unknown>>;
  readonly machine?: Pick<
    Parameters<typeof AgentMachine.add>[0],
    'hasFullDisk' | 'parameters' | 'hasOwnRamdisk'
  >;
}

export interface Site {
  readonly daemon: DaemonProcess;
  readonly folder: string;
  /** Adds a machine that is off, and its node, which has no port yet. */
  readonly enrol: (t: TestContext, options?: EnrolOptions) => Promise<Enrolled>;
}

/**
 * Starts a site that stops when `t` ends; `environment` is added to the daemon's options. `sockets` are the names of the sockets that
 * are passed to the daemon.
 */
export async function startSite(
  t: { after(end: () => unknown): void },
  environment: Environment = {},
  sockets: readonly string[] = [],
): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'real-agent-'));
  for (const name of ['kernel', 'ramdisk']) writeFileSync(join(folder, name), `the ${name}`);
  const [apiPort, bootPort] = [await freeTcpPort(), await freeTcpPort()];
  const daemon = await DaemonProcess.start(
    {
      IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'ipmi',
      IRONIC_DEFAULT__MY_IP: '127.0.0.1',
      IRONIC_DEFAULT__DEFAULT_RESCUE_INTERFACE: 'agent',
      // the ramdisk's kernel parameters name this port
      IRONIC_API__PORT: String(apiPort),
      IRONIC_BOOT_HTTP__PORT: String(bootPort),
      IRONIC_BOOT_HTTP__HOST_IP: '127.0.0.1',
      IRONIC_IPMI__MIN_COMMAND_INTERVAL: '0',
      IRONIC_AGENT__CALLBACK_NETWORKS: '127.0.0.0/8',
      IRONIC_CONDUCTOR__IMAGE_SERVER_NETWORKS: '127.0.0.0/8',
      IRONIC_CONDUCTOR__FILE_URL_ALLOWED_PATHS: folder,
      IRONIC_CONDUCTOR__DEPLOY_KERNEL: `file://${folder}/kernel`,
      IRONIC_CONDUCTOR__DEPLOY_RAMDISK: `file://${folder}/ramdisk`,
      IRONIC_DEPLOY__ERASE_DEVICES_PRIORITY: '0',
      IRONIC_PXE__KERNEL_APPEND_PARAMS:
        'ipa-image-download-connection-retries=1 ipa-image-download-connection-retry-interval=1',
      ...environment,
    },
    sockets,
  );
  t.after(async () => {
    await daemon[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });
  let machines = 0;
  return {
    daemon,
    folder,
    async enrol(each, options = {}) {
      const number = (machines += 1);
      const mac = `52:54:00:99:00:${number.toString(16).padStart(2, '0')}`;
      const machine = await AgentMachine.add({
        mac,
        folder: join(folder, `machine-${number}`),
        bootUrl: `http://127.0.0.1:${bootPort}`,
        ...options.machine,
      });
      let enrolled: Enrolled | undefined;
      each.after(async () => {
        if ('passed' in each && each.passed === false && enrolled !== undefined)
          each.diagnostic(await enrolled.story());
        await machine[Symbol.asyncDispose]();
      });
      const node = await succeed<ApiNode>(daemon, 'POST', '/v1/nodes', {
        driver: 'ipmi',
        name: `machine-${number}`,
        driver_info: {
          ipmi_address: '127.0.0.1',
          ipmi_port: machine.bmcPort,
          ipmi_username: IPMI_CREDENTIALS.username,
          ipmi_password: IPMI_CREDENTIALS.password,
          ipmi_cipher_suite: 3,
          ...options.driver_info,
        },
        properties: options.properties ?? {},
        instance_info: options.instance_info ?? {},
      });
      return (enrolled = new Enrolled(daemon, node.uuid, { machine, mac }));
    },
  };
}

export class Enrolled {
  readonly uuid: string;
  readonly machine: AgentMachine;
  readonly mac: string;
  readonly #daemon: DaemonProcess;

  constructor(daemon: DaemonProcess, uuid: string, { machine, mac }: { machine: AgentMachine; mac: string }) {
    [this.#daemon, this.uuid, this.machine, this.mac] = [daemon, uuid, machine, mac];
  }

  /** Makes the node available without booting its machine. */
  async makeAvailable(): Promise<void> {
    await this.#patch({ '/automated_clean': false });
    await this.addPort();
    await this.reach('manage', 'manageable');
    await this.reach('provide', 'available');
  }

  async addPort(): Promise<void> {
    await this.request('POST', '/v1/ports', { address: this.mac, node_uuid: this.uuid });
  }

  /** Asks for a provision target. Throws if the node then comes to rest in another state than `state`, or with a last_error. */
  async reach(target: string, state: string, more: object = {}): Promise<void> {
    const node = await this.end(target, more);
    assert.deepEqual([node.provision_state, node.last_error], [state, null]);
  }

  /** Asks for a provision target and resolves with the node when the node has come to rest. */
  async end(target: string, more: object = {}): Promise<ApiNode> {
    await this.ask(target, more);
    return this.settled();
  }

  ask(target: string, more: object = {}): Promise<unknown> {
    return this.request('PUT', `/v1/nodes/${this.uuid}/states/provision`, { target, ...more });
  }

  settled(): Promise<ApiNode> {
    return this.when(
      (node) =>
        node.reservation === null &&
        (node.target_provision_state === null || /failed|error/.test(node.provision_state)),
    );
  }

  when(is: (node: ApiNode) => boolean): Promise<ApiNode> {
    return this.#daemon.nodeWhen(this.uuid, is);
  }

  /** What a reader of a failed test needs: the node, what its machine runs, the last words of its agent and of the daemon about it. */
  async story(): Promise<string> {
    const node = await this.#daemon.node(this.uuid);
    const log = this.#daemon.log.filter((line) => JSON.stringify(line).includes(this.uuid)).slice(-20);
    return [
      JSON.stringify(node),
      ...log.map((line) => JSON.stringify(line)),
      `The machine runs ${this.machine.runs}.`,
      this.machine.agentOutput.slice(-3000),
    ].join('\n');
  }

  /** Sets fields by their JSON pointers. */
  set(values: Readonly<Record<string, unknown>>): Promise<void> {
    return this.#patch(values);
  }

  request<Body>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<Body> {
    return succeed<Body>(this.#daemon, method, path, body);
  }

  async #patch(values: Readonly<Record<string, unknown>>): Promise<void> {
    const patch = Object.entries(values).map(([path, value]) => ({ op: 'add', path, value }));
    await this.request('PATCH', `/v1/nodes/${this.uuid}`, patch);
  }
}

async function succeed<Body>(
  daemon: DaemonProcess,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<Body> {
  const answer: Answer<Body> = await daemon.request<Body>(method, path, body);
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
