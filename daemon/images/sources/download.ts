// Downloads a file if it has changed on its server. When the connection breaks, the next attempt requests only the rest, if the
// server has sent a strong ETag or Last-Modified.
import { sleep } from '../../lib/clock.ts';
import { failureReason } from '../../lib/http-client/http-failure.ts';
import type { HttpReply, ReplyHead } from '../../lib/http-client/send-request.ts';
import { get, type WebRequest, type WebSettings } from './web-server.ts';

/** What identifies a version of a file on its server; sent back to ask whether it has changed. */
export interface Version {
  readonly etag?: string;
  readonly lastModified?: string;
}

export type Download =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'downloaded'; readonly version: Version };

/** The destination of the content. */
export interface Draft {
  readonly bytes: number;
  write(piece: Uint8Array): Promise<void>;
  /** Discards what was written. */
  clear(): Promise<void>;
}

export interface DownloadRequest extends Pick<WebRequest, 'url' | 'authorize' | 'signal'> {
  readonly known: Version;
  readonly draft: Draft;
}

const LARGEST_BYTES = 64 * 1024 ** 3;
const ATTEMPTS = 20;
/**
 * The download fails after this many failed attempts in a row. The count starts again at 1 after a failed attempt that received
 * bytes.
 */
const FAILURES_IN_A_ROW = 3;
const LONGEST_PAUSE_SECONDS = 30;
const RETRIED_STATUS = new Set([408, 429, 500, 502, 503, 504]);

/** Rejects with an Error that gives the reason when the content could not be fetched completely. */
export async function download(settings: WebSettings, request: DownloadRequest): Promise<Download> {
  const { draft, signal } = request;
  let version: Version = {};
  for (let attempts = 1, failures = 0; ; attempts += 1) {
    const before = draft.bytes;
    const attempt = new Attempt(settings, request, version);
    try {
      return await attempt.run();
    } catch (error) {
      signal.throwIfAborted();
      failures = draft.bytes > before ? 1 : failures + 1;
      if (attempt.isHopeless || failures === FAILURES_IN_A_ROW || attempts === ATTEMPTS)
        throw new Error(failureReason(error), { cause: error });
      version = attempt.version;
      await sleep(settings.clock, Math.min(2 ** failures, LONGEST_PAUSE_SECONDS) * 1000, signal);
    }
  }
}

/** One request for the file, or for the rest of it. */
class Attempt {
  /** Whether another attempt would fail in the same way. */
  isHopeless = false;
  version: Version;
  readonly #settings: WebSettings;
  readonly #request: DownloadRequest;
  #begun = false;

  constructor(settings: WebSettings, request: DownloadRequest, version: Version) {
    this.#settings = settings;
    this.#request = request;
    this.version = version;
  }

  async run(): Promise<Download> {
    const { draft, known } = this.#request;
    if (draft.bytes > 0 && validatorOf(this.version) === undefined) await draft.clear();
    const headers = draft.bytes > 0 ? restOf(draft.bytes, this.version) : conditionsOf(known);
    const reply = await get(this.#settings, {
      ...this.#request,
      headers,
      largestBytes: LARGEST_BYTES,
      sink: (piece, head) => this.#take(piece, head),
    });
    // without conditions in the request, 304 is a mistake of the server, and there is no earlier content to keep
    if (reply.status === 304 && draft.bytes === 0 && Object.keys(headers).length > 0)
      return { kind: 'unchanged' };
    await this.#checkStatus(reply);
    return { kind: 'downloaded', version: this.version };
  }

  async #take(piece: Uint8Array, head: ReplyHead): Promise<void> {
    if (!this.#begun) await this.#begin(head);
    try {
      await this.#request.draft.write(piece);
    } catch (error) {
      this.isHopeless = true;
      throw error;
    }
  }

  async #begin({ status, headers }: ReplyHead): Promise<void> {
    const { draft } = this.#request;
    this.#begun = true;
    const continues = status === 206 && headers['content-range']?.[0]?.startsWith(`bytes ${draft.bytes}-`);
    if (!continues && draft.bytes > 0) await draft.clear();
    // a part that does not begin where the draft ends must not be appended
    if (status === 206 && continues !== true)
      throw new Error('its server sent a part of the file that was not requested');
    this.version = { ...(continues === true && this.version), ...versionOf(headers) };
  }

  async #checkStatus({ status, headers }: HttpReply): Promise<void> {
    if (status === 200 || status === 206) {
      if (!this.#begun) await this.#begin({ status, headers });
      return;
    }
    // 416: the draft has all bytes of the file, or more; fetch it again from the start
    if (status === 416) await this.#request.draft.clear();
    else this.isHopeless = !RETRIED_STATUS.has(status);
    throw new Error(`its server answered ${status}`);
  }
}

const conditionsOf = ({ etag, lastModified }: Version): Readonly<Record<string, string>> => ({
  ...(etag !== undefined && { 'if-none-match': etag }),
  ...(etag === undefined && lastModified !== undefined && { 'if-modified-since': lastModified }),
});

const restOf = (bytes: number, version: Version): Readonly<Record<string, string>> => ({
  range: `bytes=${bytes}-`,
  'if-range': validatorOf(version) ?? '',
});

/**
 * Returns the value for If-Range: the ETag; or Last-Modified if the ETag is missing, or is weak and so may stay the same when
 * bytes change. Undefined if Last-Modified is missing too.
 */
const validatorOf = ({ etag, lastModified }: Version): string | undefined =>
  etag === undefined || etag.startsWith('W/') ? lastModified : etag;

function versionOf(headers: HttpReply['headers']): Version {
  const [etag] = headers['etag'] ?? [];
  const [lastModified] = headers['last-modified'] ?? [];
  return { ...(etag !== undefined && { etag }), ...(lastModified !== undefined && { lastModified }) };
}
