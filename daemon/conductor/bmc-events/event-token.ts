// The URL that a node's BMC sends its events to. The URL contains a token, of which only the hash is stored.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { withoutTrailingSlashes } from '../../lib/network/ip.ts';
import { changeInfo } from '../../model/internal-info.ts';
import type { Node } from '../../model/records/node.ts';
import { apiUrl } from '../ramdisk/ramdisk-parameters.ts';
import type { NodeTask } from '../tasks/task.ts';

const TOKEN_BYTES = 24;

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Returns a new URL and stores the hash of its token; an earlier URL no longer works. */
export function renewEventUrl(task: NodeTask): string {
  const { config } = task.services;
  const token = randomBytes(TOKEN_BYTES).toString('hex');
  task.store(changeInfo(task.node, { bmc_events_token_hash: hashOf(token) }));
  const base = withoutTrailingSlashes(config.bmc_events.url ?? apiUrl(config));
  return `${base}/v1/bmc_events/${task.node.uuid}/${token}`;
}

export function isEventToken({ driver_internal_info: info }: Node, token: string): boolean {
  const expected = info.bmc_events_token_hash;
  if (expected === undefined) return false;
  return timingSafeEqual(Buffer.from(hashOf(token)), Buffer.from(expected));
}
