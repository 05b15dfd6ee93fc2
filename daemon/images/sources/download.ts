// Downloads a file if it has changed on its server. When the connection breaks, the next attempt requests only the rest, if the
// server has sent a strong ETag or Last-Modified.
import { sleep } from '../../lib/clock.ts';
import { failureReason } from '../../lib/http-client/http-failure.ts';
import type { HttpReply, ReplyHead } from '../../lib/http-client/send-request.ts';
import { get, isTemporary, type WebRequest, type WebSettings } from './web-server.ts';
import { imageLimits } from '../limits.ts';

/** What identifies a version of a file on its server; sent back to ask whether it has changed. */
export interface SourceVersion {
  readonly etag?: string;
  readonly lastModified?: string;
}

export type Download =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'downloaded'; readonly version: SourceVersion };

/** The destination of the content. */
export interface Draft {
  readonly bytes: number;
  write(piece: Uint8Array): Promise<void>;
  /** Claims room for a file of this size; rejects when the disk has no room for it. */
  expect?(bytes: number): Promise<void>;
  /** Discards what was written. */
  clear(): Promise<void>;
}

export interface DownloadRequest extends Pick<WebRequest, 'url' | 'authorize' | 'signal'> {
  readonly known: SourceVersion;
  readonly draft: Draft;
}

const ATTEMPTS = 20;
/**
 * The download fails after this many failed attempts in a row. The count starts again at 1 after a failed attempt that received
 * bytes.
 */
const FAILURES_IN_A_ROW = 3;

/** Rejects with an Error that gives the reason when the content could not be fetched completely. */
export async function download(settings: WebSettings, request: DownloadRequest): Promise<Download> {
  const { draft, signal } = request;
  let version: SourceVersion = {};
  for (let attempts = 1, failures = 0; ; attempts += 1) {
    const before = draft.bytes;
    const attempt = new Attempt(settings, request, version);
    try {
      return await attempt.run();
    } catch (error) {
      await attempt.taken;
      signal.throwIfAborted();
      failures = draft.bytes > before ? 1 : failures + 1;
      if (attempt.isHopeless || failures === FAILURES_IN_A_ROW || attempts === ATTEMPTS)
        throw new Error(failureReason(error), { cause: error });
      version = attempt.version;
      await sleep(settings.clock, Math.min(2 ** failures, imageLimits.downloadPauseSeconds) * 1000, signal);
    }
  }
}

/** One request for the file, or for the rest of it. */
class Attempt {
  /** Whether another attempt would fail in the same way. */
  isHopeless = false;
  version: SourceVersion;
  /** Resolves when the last piece is in the draft: the connection may break while it is written. */
  taken: Promise<void> = Promise.resolve();
  readonly #settings: WebSettings;
  readonly #request: DownloadRequest;
  #begun = false;
  #claimed = false;
  /** The size of the whole file, if the reply is a part of the file and names it. */
  #size: number | undefined;

  constructor(settings: WebSettings, request: DownloadRequest, version: SourceVersion) {
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
      largestBytes: imageLimits.imageBytes,
      sink: (piece, head) => {
        const taking = this.#take(piece, head);
        this.taken = taking.catch(() => undefined);
        return taking;
      },
    });
    // without conditions in the request, 304 is a mistake of the server, and there is no earlier content to keep
    if (reply.status === 304 && draft.bytes === 0 && Object.keys(headers).length > 0)
      return { kind: 'unchanged' };
    await this.#checkStatus(reply);
    await this.#checkSize();
    if (draft.bytes === 0) throw this.#hopeless('it is empty; check the URL');
    return { kind: 'downloaded', version: this.version };
  }

  async #take(piece: Uint8Array, head: ReplyHead): Promise<void> {
    if (!this.#begun) await this.#begin(head);
    if (!this.#claimed) await this.#claim(head);
    // without this check, a login or error page with status 200 would replace a kernel that has no checksum
    if (this.#request.draft.bytes === 0 && isWebPage(piece))
      throw this.#hopeless('it is text, such as a web page; check the URL');
    await this.#hopelessly(() => this.#request.draft.write(piece));
  }

  /** If the server says how large the file is, claims room for it before the first byte is written. Rejects with DiskFull. */
  async #claim({ headers }: ReplyHead): Promise<void> {
    const { draft } = this.#request;
    this.#claimed = true;
    const rest = Number(headers['content-length']?.[0] ?? NaN);
    const size = this.#size ?? draft.bytes + rest;
    if (Number.isSafeInteger(size)) await this.#hopelessly(async () => draft.expect?.(size));
  }

  /** Does work on the draft, which would fail again in another attempt. */
  async #hopelessly(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.isHopeless = true;
      throw error;
    }
  }

  #hopeless(reason: string): Error {
    this.isHopeless = true;
    return new Error(reason);
  }

  async #begin({ status, headers }: ReplyHead): Promise<void> {
    const { draft } = this.#request;
    this.#begun = true;
    const part = status === 206 ? partAt(draft.bytes, headers) : undefined;
    if (part === undefined && draft.bytes > 0) await draft.clear();
    // a part that does not begin where the draft ends must not be appended
    if (status === 206 && part === undefined)
      throw new Error('its server sent a part of the file that was not requested');
    this.version = { ...(part && this.version), ...versionOf(headers) };
    this.#size = part?.size;
  }

  /** A server may send a shorter part of the file than was requested. */
  async #checkSize(): Promise<void> {
    const { draft } = this.#request;
    if (this.#size === undefined || draft.bytes === this.#size) return;
    const { bytes } = draft;
    if (bytes > this.#size) await draft.clear();
    throw new Error(`its server sent ${bytes} bytes of a file of ${this.#size}`);
  }

  async #checkStatus({ status, headers }: HttpReply): Promise<void> {
    if (status === 200 || status === 206) {
      if (!this.#begun) await this.#begin({ status, headers });
      return;
    }
    // 416: the draft has all bytes of the file, or more; fetch it again from the start
    if (status === 416) await this.#request.draft.clear();
    else this.isHopeless = !isTemporary(status);
    throw new Error(`its server answered ${status}`);
  }
}

/** Returns the size of the whole file, if it is known; undefined if the reply is not the part that begins at this byte. */
function partAt(
  begin: number,
  headers: HttpReply['headers'],
): { readonly size: number | undefined } | undefined {
  const [range = ''] = headers['content-range'] ?? [];
  if (!range.startsWith(`bytes ${begin}-`)) return undefined;
  const size = range.slice(range.indexOf('/') + 1);
  return { size: /^\d+$/.test(size) ? Number(size) : undefined };
}

/** Whether a file that begins like this is a web page. */
export const isWebPage = (begin: Uint8Array): boolean =>
  /^(?:<!doctype html|<html)\b/i.test(Buffer.from(begin.subarray(0, 200)).toString('utf8').trimStart());

const conditionsOf = ({ etag, lastModified }: SourceVersion): Readonly<Record<string, string>> => ({
  ...(etag !== undefined && { 'if-none-match': etag }),
  ...(etag === undefined && lastModified !== undefined && { 'if-modified-since': lastModified }),
});

const restOf = (bytes: number, version: SourceVersion): Readonly<Record<string, string>> => ({
  range: `bytes=${bytes}-`,
  'if-range': validatorOf(version) ?? '',
});

/**
 * Returns the value for If-Range: the ETag; or Last-Modified if the ETag is missing, or is weak and so may stay the same when
 * bytes change. Undefined if Last-Modified is missing too.
 */
const validatorOf = ({ etag, lastModified }: SourceVersion): string | undefined =>
  etag === undefined || etag.startsWith('W/') ? lastModified : etag;

function versionOf(headers: HttpReply['headers']): SourceVersion {
  const [etag] = headers['etag'] ?? [];
  const [lastModified] = headers['last-modified'] ?? [];
  return { ...(etag !== undefined && { etag }), ...(lastModified !== undefined && { lastModified }) };
}
