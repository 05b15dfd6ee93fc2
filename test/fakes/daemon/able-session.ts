// A daemon with nodes of three kinds: able (everything works), fake, and manual (nothing but power and boot device).
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import type { Node } from '../../../daemon/model/records/node.ts';
import { type Ending, type InProcessDaemon, startInProcess } from './in-process-daemon.ts';

export type Kind = 'able-hardware' | 'fake-hardware' | 'manual-management';

export interface AbleSession extends Omit<InProcessDaemon, 'createNode'> {
  /** Returns the node's path below the API's root: `/v1/nodes/UUID`. */
  createNode(driver: Kind, fields?: object): Promise<string>;
  /** The stored node after all work has ended. */
  settled(node: string): Promise<Node>;
}

export const ABLE_PLUGINS = fileURLToPath(new URL('../plugins', import.meta.url));

/** Requests for locked nodes fail immediately. */
export async function startAbleSession(test: Ending): Promise<AbleSession> {
  const session = await startInProcess(test, {
    ini: `enabled_hardware_types = fake-hardware,able-hardware,manual-management
[plugins]
path = ${ABLE_PLUGINS}
[conductor]
node_locked_retry_attempts = 1
[zero_touch]
bmc_networks = 127.0.9.0/30
`,
  });
  return {
    ...session,
    async createNode(driver, fields = {}) {
      const reply = await session.request('POST', '/v1/nodes', { body: { driver, ...fields } });
      assert.equal(reply.status, 201, JSON.stringify(reply.body));
      return `/v1/nodes/${reply.body.uuid}`;
    },
    async settled(path) {
      await session.services.workers.idle();
      const node = session.services.db.nodes.get(uuidOf(path));
      assert.ok(node, `${path} is gone`);
      return node;
    },
  };
}

export const uuidOf = (nodePath: string): string => nodePath.split('/').at(-1) ?? '';
