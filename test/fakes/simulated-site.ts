// The daemon and simulated machines on one clock, which advances when no request is in progress.
import assert from 'node:assert/strict';
import type { Services } from '../../daemon/conductor/services.ts';
import type { Node } from '../../daemon/model/records/node.ts';
import { fakeClock, type FakeClock } from './clock.ts';
import type { Ending } from './in-process-daemon.ts';
import { startListening } from './listening-daemon.ts';
import { plugInRack, type RackMachine } from '../../daemon/simulator/rack.ts';
import { requestsInFlight, threadTasks } from './in-flight.ts';

export interface SimulatedSite {
  readonly url: string;
  readonly services: Services;
  readonly stateDirectory: string;
  readonly clock: FakeClock;
  readonly rack: readonly RackMachine[];
  /** The machines' events in order. */
  readonly told: readonly string[];
  node(uuid: string): Node;
  /** Throws unless the request succeeds. */
  request(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Requests a provision state; `more` contains further fields of the request. */
  provision(node: string, target: string, more?: object): Promise<void>;
  /** Advances the clock until `is` is true; throws with the nodes' states after an hour. */
  until(is: () => boolean): Promise<void>;
  /** Resolves when the node is in the state. */
  reaches(node: string, state: Node['provision_state']): Promise<Node>;
  stop(): Promise<void>;
}

interface SiteOptions {
  readonly machines?: number;
  readonly tls?: boolean;
  /** Options as `IRONIC_SECTION__OPTION`. */
  readonly environment?: Readonly<Record<string, string>>;
}

const LIMIT_SECONDS = 3600;

export async function simulatedSite(test: Ending, options: SiteOptions = {}): Promise<SimulatedSite> {
  const clock = fakeClock();
  const daemon = await startListening(test, {
    clock,
    environment: {
      IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'simulated',
      IRONIC_DEFAULT__ENABLED_DEPLOY_INTERFACES: 'direct,custom-agent',
      IRONIC_DEFAULT__ENABLED_RAID_INTERFACES: 'agent',
      IRONIC_AGENT__CALLBACK_NETWORKS: '127.0.0.0/8',
      IRONIC_AGENT__REQUIRE_TLS: String(options.tls ?? true),
      ...options.environment,
    },
  });
  const { url, services, stateDirectory } = daemon;
  const told: string[] = [];
  const rack = await plugInRack({
    size: options.machines ?? 1,
    url,
    clock,
    tls: options.tls ?? true,
    bootSeconds: 20,
    // heartbeats of machines that boot together arrive together
    random: () => 0.5,
    tell: (machine, what) => told.push(`${machine} ${what}`),
  });
  test.after(async () => {
    for (const { machine } of rack) machine.unplug();
  });
  const node = (uuid: string) => {
    const found = services.db.nodes.get(uuid);
    assert.ok(found);
    return found;
  };
  const requests = requestsInFlight(test);
  const tasks = threadTasks(test);
  const quiet = () =>
    requests.size === 0 && tasks.size === 0 && rack.every(({ machine }) => !machine.conversing);
  const until = async (is: () => boolean) => {
    const end = clock.now() + LIMIT_SECONDS * 1000;
    for (;;) {
      await settled(quiet);
      if (is()) return;
      assert.ok(clock.now() < end, `nothing happens any more:\n${told.join('\n')}\n${states(rack, node)}`);
      await clock.advance(Math.max((clock.nextDue ?? end) - clock.now(), 0));
    }
  };
  const request = async (method: string, path: string, body?: unknown) => {
    const headers = { 'content-type': 'application/json', 'x-openstack-ironic-api-version': '1.115' };
    const answer = await fetch(url + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  };
  return {
    url,
    services,
    stateDirectory,
    clock,
    rack,
    told,
    node,
    request,
    until,
    async provision(uuid, target, more = {}) {
      await request('PUT', `/v1/nodes/${uuid}/states/provision`, { target, ...more });
    },
    async reaches(uuid, state) {
      await until(() => node(uuid).provision_state === state && services.locks.holderOf(uuid) === null);
      return node(uuid);
    },
    stop: () => daemon.stop(),
  };
}

/** Checks several times, as a request in transit is briefly visible on neither side. */
async function settled(quiet: () => boolean): Promise<void> {
  let looks = 0;
  // a wait without end also needs the clock to advance
  for (let all = 0; looks < 5 && all < 5000; all += 1) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    looks = quiet() ? looks + 1 : 0;
  }
}

const states = (rack: readonly RackMachine[], node: (uuid: string) => Node) =>
  rack
    .map((each) => node(each.node))
    .map(({ name, provision_state, last_error }) => `${name} ${provision_state} ${last_error}`)
    .join('\n');
