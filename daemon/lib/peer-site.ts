// Asks another daemon of the site which records it serves. Both prove with the key of the site that they belong to it: a stranger
// learns nothing, and is believed nothing. The asker's nonce is part of both proofs, so that an earlier answer proves nothing.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from './clock.ts';
import { readSecretFile } from './files/secret-file.ts';
import { HttpClient } from './http-client/http-client.ts';
import { failureReason, HttpFailure } from './http-client/http-failure.ts';

/** The site whose records a daemon serves, and their generation: each restore, and each first use of a copy, raises it. */
export interface SiteOfRecords {
  readonly uuid: string;
  readonly generation: number;
  /** A hash that distinguishes hosts with the same generation. */
  readonly holder: string;
}

export type PeerAnswer =
  | { readonly kind: 'serves'; readonly site: SiteOfRecords }
  /** No daemon answers at the address, as is normal for a standby host. */
  | { readonly kind: 'silent'; readonly reason: string }
  /** Something listens at the address, but does not prove whose records it serves. */
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

const NONCE_HEADER = 'x-ironic-edge-nonce';
const PROOF_HEADER = 'x-ironic-edge-proof';
const NONCE = /^[0-9a-f]{64}$/;
const SHORTEST_KEY = 32;

/**
 * Returns the key in `[standby] key_file`; undefined if no file is set. Throws a one-sentence Error when the file cannot be used.
 */
export function siteKey({ key_file: file }: { readonly key_file: string | null }): string | undefined {
  if (file === null) return undefined;
  const advice = `Make a key, the same for all hosts: openssl rand -hex 32 >${file}; chmod 600 ${file}`;
  const key = readKey(file, advice);
  if (key.length >= SHORTEST_KEY) return key;
  throw new Error(
    `The key in ${file} ([standby] key_file) has ${key.length} characters, expected at least ${SHORTEST_KEY}. ${advice}`,
  );
}

function readKey(file: string, advice: string): string {
  try {
    return readSecretFile(file).trim();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The file of [standby] key_file cannot be used: ${reason}. ${advice}`, { cause: error });
  }
}

const proofOf = (key: string, said: readonly unknown[]): string =>
  createHmac('sha256', key).update(JSON.stringify(said)).digest('hex');

function isProved(key: string, said: readonly unknown[], proof: string | null | undefined): boolean {
  const [expected, given] = [Buffer.from(proofOf(key, said)), Buffer.from(proof ?? '')];
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/**
 * Returns the text that answers a peer's question; undefined when the question does not come from a host that has the key.
 * `headers`: of the request for SITE_PATH.
 */
export function answerToPeer(key: string, headers: Headers, site: SiteOfRecords): string | undefined {
  const nonce = headers.get(NONCE_HEADER) ?? '';
  if (!NONCE.test(nonce) || !isProved(key, ['ask', nonce], headers.get(PROOF_HEADER))) return undefined;
  return JSON.stringify({ ...site, proof: proofOf(key, saidBy(site, nonce)) });
}

const saidBy = ({ uuid, generation, holder }: SiteOfRecords, nonce: string) => [
  'answer',
  nonce,
  uuid,
  generation,
  holder,
];

/** `url`: where the other daemon's API listens. `key`: of the site. */
export async function askPeer(url: string, key: string, clock: Pick<Clock, 'after'>): Promise<PeerAnswer> {
  const nonce = randomBytes(32).toString('hex');
  try {
    const { status, bytes } = await new HttpClient({ url, clock }).send({
      url: SITE_PATH,
      headers: { [NONCE_HEADER]: nonce, [PROOF_HEADER]: proofOf(key, ['ask', nonce]) },
      timeoutSeconds: TIMEOUT_SECONDS,
      largestReplyBytes: LARGEST_REPLY_BYTES,
    });
    const site = status === 200 ? siteIn(bytes.toString(), { key, nonce }) : undefined;
    if (site !== undefined) return { kind: 'serves', site };
    return {
      kind: 'foreign',
      reason: `${SITE_PATH} is answered with ${status}, without a proof of the key in [standby] key_file`,
    };
  } catch (error) {
    return { kind: isSilence(error) ? 'silent' : 'foreign', reason: failureReason(error) };
  }
}

const isSilence = (error: unknown) =>
  error instanceof HttpFailure && ['unreachable', 'overdue', 'closed'].includes(error.kind);

function siteIn(
  text: string,
  { key, nonce }: { readonly key: string; readonly nonce: string },
): SiteOfRecords | undefined {
  try {
    const { proof, ...site } = JSON.parse(text) as SiteOfRecords & { readonly proof: string };
    return isProved(key, saidBy(site, nonce), proof) ? site : undefined;
  } catch {
    return undefined;
  }
}
