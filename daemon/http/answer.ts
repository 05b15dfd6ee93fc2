// The answers of the API, of the pages and of the endpoints beside the API, before they become HTTP responses.
import type { Reply } from './route.ts';

export interface Answer {
  readonly status: number;
  /** Null when the answer has no body. */
  readonly content: string | ReadableStream<Uint8Array> | null;
  readonly headers: Readonly<Record<string, string>>;
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
