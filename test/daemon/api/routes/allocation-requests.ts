// Allocation requests to a daemon whose nodes and allocations are removed after each test.
import assert from 'node:assert/strict';
import { after, afterEach } from 'node:test';
import { createNode } from '../../../../daemon/conductor/records/node-records.ts';
import type { Services } from '../../../../daemon/conductor/services.ts';
import type { Allocation } from '../../../../daemon/model/records/allocation.ts';
import type { Node, NodeChanges } from '../../../../daemon/model/records/node.ts';
import { type Answer, startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { settled } from '../../../fakes/clock.ts';

export type AllocationView = Allocation & {
  readonly links: readonly { readonly href: string; readonly rel: string }[];
};

export const allocationOf = ({ json }: Answer) => json as AllocationView;

export async function allocationRequests() {
  // one attempt at a lock: requests for a locked node are refused at once
  const ini = '[conductor]\nnode_locked_retry_attempts = 1\n';
  const session = await startInProcess({ after }, { ini });
  afterEach(() => empty(session.services));

  const request = (method: string, path: string, body: unknown, version = 115) =>
    session.request(method, `/v1/${path}`, { version, body });
  const get = (path: string, version?: number) => request('GET', path, undefined, version);
  const post = (body: unknown, version?: number) => request('POST', 'allocations', body, version);
  return {
    get,
    post,
    patch: (path: string, body: unknown, version?: number) => request('PATCH', path, body, version),
    remove: (path: string, version?: number) => request('DELETE', path, undefined, version),
    /** A new allocation, after the daemon has processed it. */
    allocated: async (body: object): Promise<AllocationView> => {
      const created = await post({ resource_class: 'gold', ...body });
      assert.equal(created.status, 201);
      await settled();
      return allocationOf(await get(`allocations/${allocationOf(created).uuid}`));
    },
    /** A node that fits an allocation of resource class gold, with the given changes. */
    addNode: (given: NodeChanges = {}): Node =>
      createNode(session.services, {
        driver: 'fake-hardware',
        provision_state: 'available',
        power_state: 'power off',
        resource_class: 'gold',
        ...given,
      }),
    storedNode: (uuid: string) => session.services.db.nodes.get(uuid),
    changeNode: (uuid: string, changes: NodeChanges) => session.services.db.nodes.update(uuid, changes),
    lock: (uuid: string) => session.services.locks.tryAcquire(uuid),
  };
}

function empty({ db }: Services): void {
  const all = { limit: 1000, sortKey: 'id', descending: false };
  for (const { uuid } of db.allocations.list(['uuid'], [], all)) db.allocations.remove(uuid);
  for (const { uuid } of db.nodes.list(['uuid'], [], all)) db.nodes.remove(uuid);
}
