// Limits how long a client may take to send a request, and lets it read a refusal while it sends. Heads keep the limit of Node.js, a
// minute; whole requests have one that a request can be freed of.
import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import type { Clock } from '../lib/clock.ts';
import type { Fetch } from './upgrades.ts';

/**
 * The limit of Node.js, which holds for all requests of a server. It is kept here instead, because an image that an operator uploads
 * over a slow line takes hours. Raised for all, the limit would let anyone keep connections for hours with a byte now and then; so
 * it is taken only from a request whose sender has been checked, and that one must keep moving.
 */
const WHOLE_REQUEST_MILLISECONDS = 300_000;

/** For the server whose requests `inLimitedTime` limits. */
export const HEAD_TIME_ONLY: ServerOptions = { requestTimeout: 0, headersTimeout: 60_000 };

/** Serves requests, with the limit for each. */
export const inLimitedTime = (fetch: Fetch, clock: Clock) =>
  getRequestListener((request, given) => {
    const { incoming, outgoing } = given as HttpBindings;
    answerWhileSending(incoming, outgoing);
    return fetch(request, { incoming, outgoing, unhurried: limitTime(incoming, outgoing, clock) });
  });

/** Disconnects the client when its request is not whole in time. Returns a function that takes this limit from the request. */
function limitTime(request: IncomingMessage, response: ServerResponse, clock: Clock): () => void {
  const { socket } = request;
  if (bodyBytes(request) === 0) return () => undefined;
  const cancel = clock.after(WHOLE_REQUEST_MILLISECONDS, () => {
    if (request.complete) return;
    if (!response.headersSent) socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
    socket.destroySoon();
  });
  request.once('close', cancel);
  return cancel;
}

/** Returns infinity if the head does not say. */
const bodyBytes = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;

/** Bodies up to this size are received whole even if nobody reads them. */
const SMALL_BODY_BYTES = 65_536;

/**
 * Lets a client that wants the connection closed read the refusal of a large body while it still sends: Node.js would close at once,
 * and the answer would be lost. Who sends on is disconnected after half a second, as on a connection that is kept.
 */
function answerWhileSending(request: IncomingMessage, response: ServerResponse): void {
  if (response.shouldKeepAlive || bodyBytes(request) <= SMALL_BODY_BYTES) return;
  response.shouldKeepAlive = true;
  request.once('end', () => (response.shouldKeepAlive = false));
}

/**
 * Makes the server ask a client that waits for `100 Continue` for the body when somebody begins to read it; a refusal comes without.
 * Returns the server.
 */
export function continueWhenRead(server: Server, serve: RequestListener): Server {
  return server.on('checkContinue', (request, response) => {
    const onListener = (event: string | symbol) => {
      if (event !== 'data' && event !== 'readable') return;
      request.off('newListener', onListener);
      if (!response.headersSent) response.writeContinue();
    };
    request.on('newListener', onListener);
    serve(request, response);
  });
}
