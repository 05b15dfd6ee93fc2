// The site for the tests of clients: a running daemon, and functions that create, change and read its records over HTTP.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiNode, DaemonProcess } from '../../fakes/daemon/daemon-process.ts';

export type Shown = Readonly<Record<string, unknown>> & { readonly uuid: string };

export type State =
  | 'enroll'
  | 'manageable'
  | 'available'
  | 'inspect wait'
  | 'clean hold'
  | 'active'
  | 'rescue';

/** How a node reaches each state: the state before it, the verb that leads on from there, and the verb's arguments. */
const ways: Readonly<Partial<Record<State, readonly [from: State, verb: string, more?: object]>>> = {
  manageable: ['enroll', 'manage'],
  available: ['manageable', 'provide'],
  'inspect wait': ['manageable', 'inspect'],
  'clean hold': ['manageable', 'clean', { clean_steps: [{ interface: 'power', step: 'hold' }] }],
  active: ['available', 'active'],
  rescue: ['active', 'rescue', { rescue_password: 's3cret' }],
};

export const HOST = 'edge-1';
export const DRIVERS = ['able-hardware', 'fake-hardware', 'ipmi', 'manual-management'];
/** A UUID that no record has. */
export const MISSING = '00000000-0000-4000-8000-000000000000';

/** The report of a real agent on a machine with the MAC address `REPORTED_MAC`. */
export const REPORT: unknown = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../fixtures/inspection/agent-12-bios.json'), 'utf8'),
);
const REPORTED_MAC = '52:54:00:aa:bb:01';

export class Site implements AsyncDisposable {
  readonly daemon: DaemonProcess;
  #made = 0;

  private constructor(daemon: DaemonProcess) {
    this.daemon = daemon;
  }

  static async start(): Promise<Site> {
    return new Site(
      await DaemonProcess.start({
        IRONIC_DEFAULT__HOST: HOST,
        IRONIC_PLUGINS__PATH: join(import.meta.dirname, '../../fakes/plugins'),
        IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: DRIVERS.join(','),
        IRONIC_DEFAULT__ENABLED_STORAGE_INTERFACES: 'noop,fake',
      }),
    );
  }

  get url(): string {
    return this.daemon.url;
  }

  /** Returns another name each time. */
  name(kind: string): string {
    this.#made += 1;
    return `${kind}-${this.#made}`;
  }

  uuid(): string {
    return randomUUID();
  }

  mac(): string {
    this.#made += 1;
    return `52:54:01:00:${[this.#made >> 8, this.#made & 255].map((octet) => octet.toString(16).padStart(2, '0')).join(':')}`;
  }

  /** Creates a record with a POST to `path`, such as `/v1/ports`, and returns it. */
  async made(path: string, body: object = {}): Promise<Shown> {
    const answer = await this.daemon.request<Shown>('POST', path, body);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body;
  }

  async shown(path: string): Promise<Shown> {
    const answer = await this.daemon.request<Shown>('GET', path);
    assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async gone(path: string): Promise<void> {
    assert.equal((await this.daemon.request('GET', path)).status, 404, path);
  }

  /** Makes a node with a name, of the driver fake-hardware unless `fields` name another, and leads it to `state`. */
  async node(fields: object = {}, state: State = 'enroll'): Promise<ApiNode & { readonly name: string }> {
    const { uuid } = await this.made('/v1/nodes', {
      driver: 'fake-hardware',
      name: this.name('node'),
      ...fields,
    });
    await this.lead(uuid, state);
    return (await this.daemon.node(uuid)) as ApiNode & { readonly name: string };
  }

  /** Leads a node that is in the state enroll to another state. */
  async lead(uuid: string, state: State): Promise<void> {
    const way = ways[state];
    if (way === undefined) return;
    const [from, verb, more] = way;
    await this.lead(uuid, from);
    await this.provision(uuid, verb, state, more);
  }

  /** Makes a manageable node of the driver able-hardware, whose machine has what fake-hardware lacks, such as virtual media. */
  able(fields: object = {}) {
    return this.node({ driver: 'able-hardware', ...fields }, 'manageable');
  }

  async withConsole(): Promise<ApiNode> {
    const { uuid } = await this.able();
    await this.put(`/v1/nodes/${uuid}/states/console`, { enabled: true });
    return this.nodeWhen(uuid, ({ console_enabled }) => console_enabled);
  }

  /** Makes a manageable node of the driver able-hardware to which the VIF `vif-1` is attached. */
  async withVif(): Promise<ApiNode> {
    const node = await this.able();
    const { status } = await this.daemon.request('POST', `/v1/nodes/${node.uuid}/vifs`, { id: 'vif-1' });
    assert.equal(status, 204);
    return node;
  }

  async poweredOff(): Promise<ApiNode> {
    return this.power((await this.node()).uuid, 'power off');
  }

  /** Sends the provision verb `target`; resolves when the node is in `state`. */
  async provision(node: string, target: string, state: string, more: object = {}): Promise<ApiNode> {
    await this.put(`/v1/nodes/${node}/states/provision`, { target, ...more });
    return this.nodeWhen(node, ({ provision_state }) => provision_state === state);
  }

  /** Requests the power state; resolves when the node has it. */
  async power(node: string, state: 'power on' | 'power off'): Promise<ApiNode> {
    await this.put(`/v1/nodes/${node}/states/power`, { target: state });
    return this.nodeWhen(node, ({ power_state }) => power_state === state);
  }

  async put(path: string, body: object): Promise<void> {
    const { status, body: answer } = await this.daemon.request('PUT', path, body);
    assert.ok(status < 300, `${path}: ${JSON.stringify(answer)}`);
  }

  nodeWhen(node: string, is: (node: ApiNode) => boolean): Promise<ApiNode> {
    return this.daemon.nodeWhen(node, is);
  }

  /** Makes a node and inspects it with `REPORT`; returns it in the state manageable. */
  async inspected(): Promise<ApiNode> {
    // rules of other tests would run
    await this.daemon.request('DELETE', '/v1/inspection_rules');
    const { uuid } = await this.node({ driver: 'manual-management', inspect_interface: 'agent' });
    const port = await this.made('/v1/ports', { node_uuid: uuid, address: REPORTED_MAC });
    await this.provision(uuid, 'manage', 'manageable');
    await this.provision(uuid, 'inspect', 'inspect wait');
    const posted = await this.daemon.request('POST', '/v1/continue_inspection', REPORT);
    assert.equal(posted.status, 202);
    const node = await this.nodeWhen(uuid, ({ target_provision_state }) => target_provision_state === null);
    assert.equal(node.provision_state, 'manageable', node.last_error ?? '');
    // the next inspected node gets a port with the same address
    await this.daemon.request('DELETE', `/v1/ports/${port.uuid}`);
    return node;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.daemon[Symbol.asyncDispose]();
  }
}
