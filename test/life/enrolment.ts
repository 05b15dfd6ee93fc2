// What an operator does to a machine through the API, and what the daemon saw of it meanwhile.
import { setTimeout as wait } from 'node:timers/promises';
import type { MachineEvent } from '../../daemon/model/records/machine-event.ts';
import type { Answer, ApiNode } from '../fakes/daemon/daemon-process.ts';

const POLL_MILLISECONDS = 500;
const FOLLOW_MILLISECONDS = 50;
const SECURE_BOOT_SECONDS = 300;

const FAILED = [
  'enroll',
  'error',
  ...['inspect', 'clean', 'deploy', 'rescue', 'unrescue'].map((verb) => `${verb} failed`),
];

/** The body of a request for a provision state. */
interface Verb {
  readonly target: string;
  readonly [argument: string]: unknown;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A daemon that speaks the Bare Metal API. */
export interface Api {
  request<Body>(method: Method, path: string, body?: unknown): Promise<Answer<Body>>;
}

/** A machine as an operator knows it. */
export interface Enrollable {
  readonly number: number;
  readonly driver: string;
  /** The address and credentials of its BMC. */
  readonly driverInfo: object;
}

export class Enrolment {
  readonly #daemon: Api;
  readonly uuid: string;

  private constructor(daemon: Api, uuid: string) {
    [this.#daemon, this.uuid] = [daemon, uuid];
  }

  /** Creates the node of a machine, with the address and credentials of its BMC, and with these further fields. */
  static async of(
    daemon: Api,
    machine: Enrollable,
    {
      driver_info: more = {},
      ...fields
    }: Readonly<Record<string, unknown>> & { readonly driver_info?: object } = {},
  ): Promise<Enrolment> {
    const { number, driver, driverInfo } = machine;
    const body = {
      driver,
      name: `machine-${number}`,
      driver_info: { ...driverInfo, ...more },
      ...fields,
    };
    const { uuid } = await expectSuccess<ApiNode>(daemon, 'POST', '/v1/nodes', body);
    return new Enrolment(daemon, uuid);
  }

  /** Resolves with the node that the report of an unknown machine has made; rejects after `seconds`. */
  static async discovered(daemon: Api, mac: string, seconds: number): Promise<Enrolment> {
    const deadline = performance.now() + seconds * 1000;
    for (;;) {
      type Ports = { readonly ports: readonly { readonly node_uuid: string }[] };
      const { ports } = await expectSuccess<Ports>(
        daemon,
        'GET',
        `/v1/ports?address=${mac}&fields=node_uuid`,
      );
      if (ports[0] !== undefined) return new Enrolment(daemon, ports[0].node_uuid);
      if (performance.now() > deadline) throw new Error(`no node has ${mac} after ${seconds} s`);
      await wait(POLL_MILLISECONDS);
    }
  }

  async createPort(mac: string): Promise<void> {
    await expectSuccess(this.#daemon, 'POST', '/v1/ports', { address: mac, node_uuid: this.uuid });
  }

  async portAddresses(): Promise<readonly string[]> {
    const path = `/v1/nodes/${this.uuid}/ports`;
    type Ports = { readonly ports: readonly { readonly address: string }[] };
    return (await expectSuccess<Ports>(this.#daemon, 'GET', path)).ports.map(({ address }) => address);
  }

  async inventory(): Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>> {
    const path = `/v1/nodes/${this.uuid}/inventory`;
    return (
      await expectSuccess<{ inventory: Record<string, Record<string, unknown>> }>(this.#daemon, 'GET', path)
    ).inventory;
  }

  async timeline(): Promise<readonly MachineEvent[]> {
    const path = `/v1/nodes/${this.uuid}/timeline`;
    return (await expectSuccess<{ events: MachineEvent[] }>(this.#daemon, 'GET', path)).events;
  }

  /** Resolves when the timeline has an event whose text matches `text`; rejects after `seconds`. */
  async see(text: RegExp, seconds: number): Promise<void> {
    const deadline = performance.now() + seconds * 1000;
    while (!(await this.timeline()).some((event) => text.test(event.text))) {
      if (performance.now() > deadline) throw new Error(`the timeline has no ${text} after ${seconds} s`);
      await wait(FOLLOW_MILLISECONDS);
    }
  }

  /** Sets pxe_enabled of all ports to false. */
  async forbidNetworkBoot(): Promise<void> {
    const path = `/v1/nodes/${this.uuid}/ports`;
    type Ports = { readonly ports: readonly { readonly uuid: string }[] };
    const change = [{ op: 'replace', path: '/pxe_enabled', value: false }];
    for (const { uuid } of (await expectSuccess<Ports>(this.#daemon, 'GET', path)).ports)
      await expectSuccess(this.#daemon, 'PATCH', `/v1/ports/${uuid}`, change);
  }

  node(): Promise<ApiNode> {
    return expectSuccess<ApiNode>(this.#daemon, 'GET', `/v1/nodes/${this.uuid}`);
  }

  /** Sets fields of the node by their JSON pointers. */
  async set(values: Readonly<Record<string, unknown>>): Promise<void> {
    const patch = Object.entries(values).map(([path, value]) => ({ op: 'add', path, value }));
    await expectSuccess(this.#daemon, 'PATCH', `/v1/nodes/${this.uuid}`, patch);
  }

  async setTraits(traits: readonly string[]): Promise<void> {
    await expectSuccess(this.#daemon, 'PUT', `/v1/nodes/${this.uuid}/traits`, { traits });
  }

  /** Sets Secure Boot and waits until the node is manageable; rejects when the node then does not show the new setting. */
  async setSecureBoot(enabled: boolean): Promise<void> {
    await expectSuccess(this.#daemon, 'PUT', `/v1/nodes/${this.uuid}/states/secure_boot`, {
      target: enabled,
    });
    const { secure_boot: actual } = await this.become(['manageable'], SECURE_BOOT_SECONDS);
    if (actual !== enabled)
      throw new Error(`secure_boot is ${String(actual)}; last_error: ${(await this.node()).last_error}`);
  }

  /** Asks for a power state, or for `rebooting`. */
  async power(target: string): Promise<void> {
    await expectSuccess(this.#daemon, 'PUT', `/v1/nodes/${this.uuid}/states/power`, { target });
  }

  /** Asks for a provision state and waits for one of `ends`, as `become` does. */
  async provision({ target, ...more }: Verb, ends: readonly string[], seconds: number): Promise<ApiNode> {
    await expectSuccess(this.#daemon, 'PUT', `/v1/nodes/${this.uuid}/states/provision`, { target, ...more });
    return this.become(ends, seconds);
  }

  /** Resolves with the node when it is in one of `states` and nothing works on it; rejects after `seconds`. */
  async become(states: readonly string[], seconds: number): Promise<ApiNode> {
    const deadline = performance.now() + seconds * 1000;
    for (;;) {
      const node = await this.node();
      if (states.includes(node.provision_state) && node.reservation === null) return node;
      if (performance.now() > deadline)
        throw new Error(
          `expected ${states.join(' or ')} within ${seconds} s, the node is in ${node.provision_state}; last_error: ${node.last_error}`,
        );
      await wait(POLL_MILLISECONDS);
    }
  }

  /**
   * Asks for a provision state and waits until the node is in `state` or has failed. Rejects when the node has failed or
   * has a last_error, and after `seconds`.
   */
  async reach(verb: Verb, state: string, seconds: number): Promise<void> {
    const node = await this.provision(verb, [state, ...FAILED], seconds);
    if (node.provision_state !== state || node.last_error !== null)
      throw new Error(`${verb.target}: ${node.provision_state}: ${node.last_error}`);
  }

  async remove(): Promise<void> {
    await expectSuccess(this.#daemon, 'DELETE', `/v1/nodes/${this.uuid}`);
  }
}

export async function expectSuccess<Body>(
  daemon: Api,
  method: Method,
  path: string,
  body?: unknown,
): Promise<Body> {
  const reply = await daemon.request<Body>(method, path, body);
  if (reply.status >= 300)
    throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
}
