// The answers of the API, of the pages and of the endpoints beside the API, before they become HTTP responses. Most answers to
// faults are JSON encoded twice, as Ironic encodes them; see `errorDocument`.
import { writeFailure } from '../db/write-failure.ts';
import type { Logger } from '../lib/logger.ts';
import { errorDocument } from '../model/error-document.ts';
import { Fault, fault } from '../model/faults.ts';
import type { Reply } from './route.ts';

export interface Answer {
  readonly status: number;
  /** Null when the answer has no body. */
  readonly content: string | ReadableStream<Uint8Array> | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The values of Set-Cookie headers. */
  readonly cookies?: readonly string[];
}

/** What the daemon serves at one path outside the API, without an API version. */
export interface Endpoint {
  readonly path: string;
  /** Whether a client at this address needs no login; null: the client uses a Unix socket. */
  readonly isOpen: (address: string | null) => boolean;
  readonly answer: (request: Request) => Answer | Promise<Answer>;
}

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

export function answerOf(reply: Reply): Answer {
  if (reply.stream !== undefined)
    return { status: reply.status, content: reply.stream, headers: STREAM_HEADERS };
  const json = reply.json ?? (reply.body === undefined ? null : JSON.stringify(reply.body));
  return {
    status: reply.status,
    content: json,
    headers: {
      ...(json !== null && { 'content-type': 'application/json' }),
      // clients recognise an answer without a body by its length 0 and by the absence of a content type
      ...(json === null && reply.status !== 204 && { 'content-length': '0' }),
      ...(reply.location !== undefined && { location: reply.location }),
      ...(reply.retryRequestAfter !== undefined && {
        'retry-request-after': String(reply.retryRequestAfter),
      }),
    },
  };
}

/**
 * Returns the answer for anything that was thrown. An error that is neither a Fault, nor a failed write to the database, nor a
 * disconnected client is a bug: its stack goes to the log, not to the client.
 */
export function faultAnswer(
  error: unknown,
  log: Logger,
  requestId: string,
): Answer & { readonly content: string } {
  const expected = error instanceof Fault ? error : (writeFailure(error) ?? clientAbort(error));
  if (expected === undefined) log.error({ error, request_id: requestId }, 'request failed unexpectedly');
  const known = expected ?? fault('Internal', { request: requestId });
  const line = { request_id: requestId, code: known.code, reason: known.message };
  if (known.status >= 500) log.error(line, 'request failed');
  else log.info(line, 'request refused');
  return {
    status: known.status,
    content: JSON.stringify(errorDocument(known)),
    headers: { 'content-type': 'application/json', ...headersFor(known) },
  };
}

function headersFor({ status, code }: Fault): Answer['headers'] {
  // for a script of the page, the browser would ask for a password in a window of its own
  const asksForLogin = status === 401 && code !== 'SessionEnded';
  return {
    ...(status === 426 && { upgrade: 'websocket', connection: 'upgrade' }),
    ...(code === 'TooManyWrongPasswords' && { 'retry-after': '60' }),
    ...(status === 503 && { 'retry-after': '2' }),
    ...(asksForLogin && { 'www-authenticate': 'Basic realm="Baremetal API"' }),
  };
}

/** Returns a fault if the client disconnected while its request body was read; undefined for any other error. */
const clientAbort = (error: unknown): Fault | undefined =>
  error instanceof Error && error.message === 'aborted' && 'code' in error && error.code === 'ECONNRESET'
    ? fault('RequestAborted', {})
    : undefined;
