// Asks another daemon which records it serves.
import { createHash } from 'node:crypto';
import type { Clock } from './clock.ts';
import { HttpClient } from './http-client/http-client.ts';
import { failureReason, HttpFailure } from './http-client/http-failure.ts';

/** The site whose records a daemon serves, and their generation: each restore, and each first use of a copy, raises it. */
export interface SiteOfRecords {
  readonly uuid: string;
  readonly generation: number;
  /** A hash that distinguishes hosts with the same generation. Empty if the daemon is of a release that sends no hash. */
  readonly holder: string;
}

export type PeerAnswer =
  | { readonly kind: 'serves'; readonly site: SiteOfRecords }
  /** No daemon answers at the address, as is normal for a standby host. */
  | { readonly kind: 'silent'; readonly reason: string }
  /** Something listens at the address, but does not say whose records it serves. */
  | { readonly kind: 'foreign'; readonly reason: string };

/** Another host serves this site's records, in the same or a newer generation. The message says where, and what to do. */
export class RecordsReplaced extends Error {
  override readonly name = 'RecordsReplaced';
}

const TIMEOUT_SECONDS = 3;
const LARGEST_REPLY_BYTES = 4096;

/** The path at which a daemon says whose records it serves. */
export const SITE_PATH = '/site';

interface OwnSite {
  readonly uuid: string;
  readonly generation: number;
  /** The host on which the database is used, and the path of the database there. */
  readonly host: string;
}

/** Returns what a daemon tells others about its records. `host` is hashed: it contains the machine ID, which is confidential. */
export const siteOf = ({ uuid, generation, host }: OwnSite): SiteOfRecords => ({
  uuid,
  generation,
  holder: createHash('sha256').update(`${uuid} ${host}`).digest('hex').slice(0, 16),
});

/** `url`: where the other daemon's API listens. */
export async function askPeer(url: string, clock: Pick<Clock, 'after'>): Promise<PeerAnswer> {
  try {
    const { status, bytes } = await new HttpClient({ url, clock }).send({
      url: SITE_PATH,
      timeoutSeconds: TIMEOUT_SECONDS,
      largestReplyBytes: LARGEST_REPLY_BYTES,
    });
    const site = status === 200 ? siteIn(bytes.toString()) : undefined;
    if (site !== undefined) return { kind: 'serves', site };
    return { kind: 'foreign', reason: `${SITE_PATH} is answered with ${status} and names no site` };
  } catch (error) {
    return { kind: isSilence(error) ? 'silent' : 'foreign', reason: failureReason(error) };
  }
}

const isSilence = (error: unknown) =>
  error instanceof HttpFailure && ['unreachable', 'overdue', 'closed'].includes(error.kind);

function siteIn(text: string): SiteOfRecords | undefined {
  try {
    const { uuid, generation, holder = '' } = JSON.parse(text) as Partial<SiteOfRecords>;
    return typeof uuid === 'string' && Number.isSafeInteger(generation) && typeof holder === 'string'
      ? { uuid, generation: Number(generation), holder }
      : undefined;
  } catch {
    return undefined;
  }
}
