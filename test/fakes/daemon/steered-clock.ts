// Sends requests to a daemon and waits for states of its nodes; meanwhile the clock advances when no request is in progress.
import assert from 'node:assert/strict';
import type { Services } from '../../../daemon/conductor/services.ts';
import type { Node } from '../../../daemon/model/records/node.ts';
import type { FakeClock } from '../clock.ts';
import type { Ending } from './in-process-daemon.ts';
import { requestsInFlight, settled, threadTasks } from './in-flight.ts';

export interface Steering {
  node(uuid: string): Node;
  /** Throws unless the request succeeds. */
  request(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Sends a provision verb; `more` contains further fields of the request. */
  provision(node: string, target: string, more?: object): Promise<void>;
  /** Advances the clock until `is` is true. Throws after an hour of the clock; the error lists events and states. */
  until(is: () => boolean): Promise<void>;
  /** Resolves to the node when it is in the state and unlocked. */
  reaches(node: string, state: Node['provision_state']): Promise<Node>;
}

interface Steered {
  readonly url: string;
  readonly services: Services;
  readonly clock: FakeClock;
  readonly machines: readonly { readonly node: string }[];
  /** Whether a simulated part is in the middle of an exchange. */
  readonly conversing: () => boolean;
  /** The events of the machines so far. The error of `until` lists them. */
  readonly told: readonly string[];
}

const LIMIT_SECONDS = 3600;
/** The longest single advance, shorter than any request's time limit: file work unseen by `quiet` may start a request during it. */
const LONGEST_HOP_MILLISECONDS = 5000;

export function steer(test: Ending, { url, services, clock, machines, conversing, told }: Steered): Steering {
  const node = (uuid: string) => {
    const found = services.db.nodes.get(uuid);
    assert.ok(found);
    return found;
  };
  const states = () =>
    machines
      .map((each) => node(each.node))
      .map(({ name, provision_state, last_error }) => `${name} ${provision_state} ${last_error}`)
      .join('\n');
  const requests = requestsInFlight(test);
  const tasks = threadTasks(test);
  const quiet = () => requests.size === 0 && tasks.size === 0 && !conversing();
  const until = async (is: () => boolean) => {
    const end = clock.now() + LIMIT_SECONDS * 1000;
    for (;;) {
      await settled(quiet);
      if (is()) return;
      assert.ok(
        clock.now() < end,
        `still waiting after an hour of the clock:\n${told.join('\n')}\n${states()}`,
      );
      const pause = Math.max((clock.nextDue ?? end) - clock.now(), 0);
      await clock.advance(Math.min(pause, LONGEST_HOP_MILLISECONDS));
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
  };
}
