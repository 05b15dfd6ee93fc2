// Sends one request on a connection, and receives its reply up to the last byte.
import { asError } from '../abort-signals.ts';
import type { Dispatcher } from 'undici';
import type { HttpConnection } from './connection.ts';

export interface HttpReply {
  readonly status: number;
  /** All values of each header, keyed by its lower-case name. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly bytes: Buffer;
}

export interface ReplyOptions {
  readonly largestBytes: number;
  readonly signal: AbortSignal;
  /**
   * Receives the body of a reply with status 200 or 206, piece by piece; `bytes` of the reply is then empty. The next piece is
   * read when the promise for the previous one has resolved. Bodies of other replies are in `bytes`.
   */
  readonly sink?: Sink | undefined;
}

/** What a reply begins with. */
export type ReplyHead = Pick<HttpReply, 'status' | 'headers'>;

export type Sink = (piece: Uint8Array, head: ReplyHead) => Promise<void>;

/** Rejects with the signal's reason as soon as it aborts, also while the request waits for a connection. */
export function sendRequest(
  connection: HttpConnection,
  request: Dispatcher.DispatchOptions,
  { largestBytes, signal, sink }: ReplyOptions,
): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const body = new ReplyBytes(largestBytes);
    let head: ReplyHead = { status: 0, headers: {} };
    let running: Dispatcher.DispatchController | undefined;
    let taken = Promise.resolve();
    const abort = (reason: unknown) => {
      reject(asError(reason));
      running?.abort(asError(reason));
    };
    const onAbort = () => abort(signal.reason);
    const within = (action: () => void) => {
      try {
        action();
      } catch (error) {
        abort(error);
      }
    };
    const settled = () => signal.removeEventListener('abort', onAbort);
    signal.addEventListener('abort', onAbort);
    connection.dispatch(request, {
      onRequestStart(controller) {
        running = controller;
        if (signal.aborted) onAbort();
      },
      onResponseStart(_, status, fields) {
        head = { status, headers: listed(fields) };
        // the reply to HEAD names the length of a body, but has no body
        if (request.method !== 'HEAD') within(() => body.expect(lengthIn(head)));
      },
      onResponseData(controller, piece) {
        if (sink === undefined || !(head.status === 200 || head.status === 206))
          return within(() => body.add(piece));
        // when reading resumes before more bytes have arrived, undici reports an empty piece; pausing for that piece would never
        // end
        if (piece.length === 0) return;
        within(() => body.count(piece));
        taken = taken.then(() => sink(piece, head));
        // not after the last byte: undici learns that the body is complete only when it reads on, and if the server closes the
        // connection before that, undici takes the body for cut off
        const isLast = body.length === lengthIn(head);
        if (!isLast) controller.pause();
        taken.then(() => controller.resume(), abort);
      },
      onResponseEnd() {
        taken.then(() => resolve({ ...head, bytes: body.bytes }), reject).finally(settled);
      },
      onResponseError(_, error) {
        settled();
        reject(error);
      },
    });
  });
}

/** Returns the Content-Length; NaN when the reply has none. */
const lengthIn = ({ headers }: ReplyHead) => Number(headers['content-length']?.[0]);

type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

// without a prototype: a lookup finds only headers that the server has sent
function listed(fields: Fields): HttpReply['headers'] {
  const headers: Record<string, readonly string[]> = Object.create(null) as {};
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) headers[name] = typeof value === 'string' ? [value] : value;
  return headers;
}

/**
 * When this many pieces in a row have less than `SMALL_BYTES` together, they are joined, because each piece takes 130 bytes in
 * addition to its content.
 */
const RUN = 256;
const SMALL_BYTES = 262_144;

/** Collects the body of a reply. A body that arrives in tiny pieces takes little more memory than one that arrives in large pieces. */
export class ReplyBytes {
  readonly #limit: number;
  readonly #joined: Uint8Array[] = [];
  #recent: Uint8Array[] = [];
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Throws when a body of this length would be too large. */
  expect(length: number): void {
    if (length > this.#limit) throw new Error(`its reply is larger than ${sizeText(this.#limit)}`);
  }

  /** Counts a piece without keeping it, because a sink takes it. Throws when the body becomes too large. */
  count({ length }: Uint8Array): void {
    this.#length += length;
    this.expect(this.#length);
  }

  /** Keeps a piece. Throws when the body becomes too large. */
  add(piece: Uint8Array): void {
    this.count(piece);
    this.#recent.push(piece);
    if (this.#recent.length === RUN) this.#join();
  }

  /** How many bytes were counted so far. */
  get length(): number {
    return this.#length;
  }

  get bytes(): Buffer {
    return Buffer.concat([...this.#joined, ...this.#recent]);
  }

  #join(): void {
    const size = this.#recent.reduce((sum, { length }) => sum + length, 0);
    this.#joined.push(...(size < SMALL_BYTES ? [Buffer.concat(this.#recent)] : this.#recent));
    this.#recent = [];
  }
}

const MEBIBYTE = 1_048_576;
const sizeText = (bytes: number) => (bytes % MEBIBYTE === 0 ? `${bytes / MEBIBYTE} MiB` : `${bytes} bytes`);
