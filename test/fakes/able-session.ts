// A daemon with nodes of three kinds: able (everything works), fake, and manual (nothing but power and boot device).
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import type { Node } from '../../daemon/model/node.ts';
import { type ApiReply, type ApiSession, startApiSession } from './api-session.ts';

export type Kind = 'able-hardware' | 'fake-hardware' | 'manual-management';

export interface AbleSession extends ApiSession {
  /** Its path below the API's root: `/v1/nodes/UUID`. */
  createNode(driver: Kind, fields?: object): Promise<string>;
  /** The stored node, when no work is running any more. */
  settled(node: string): Promise<Node>;
}

/** Locked nodes are refused at once. */
export async function startAbleSession(
  environment: Readonly<Record<string, string>> = {},
): Promise<AbleSession> {
  const session = await startApiSession({
    IRONIC_PLUGINS__PATH: fileURLToPath(new URL('plugins', import.meta.url)),
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'fake-hardware,able-hardware,manual-management',
    IRONIC_CONDUCTOR__NODE_LOCKED_RETRY_ATTEMPTS: '1',
    ...environment,
  });
  return {
    ...session,
    async createNode(driver, fields = {}) {
      const reply = await session.request('POST', '/v1/nodes', { body: { driver, ...fields } });
      assert.equal(reply.status, 201, JSON.stringify(reply.body));
      return `/v1/nodes/${(reply.body as Node).uuid}`;
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

/** Asserts the status, and gives the sentence of the error document. */
export function refused(reply: ApiReply, status: number): string {
  assert.equal(reply.status, status, JSON.stringify(reply.body));
  const { error_message: wrapped } = reply.body as { error_message: string };
  return (JSON.parse(wrapped) as { faultstring: string }).faultstring;
}
