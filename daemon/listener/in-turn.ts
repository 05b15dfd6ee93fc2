// Serves the requests of each connection one at a time. HTTP/1.1 pipelining lets a client send many requests without
// reading an answer; Node.js would run them all at once and keep every answer in memory.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errorDocument } from '../model/error-document.ts';
import { fault } from '../model/faults.ts';

/** The number of requests that may wait on a connection behind the one being served. No known client pipelines. */
export const WAITING_LIMIT = 64;
/** A client that reads nothing of its answer for this long is disconnected. */
const UNREAD_LIMIT_MILLISECONDS = 30_000;

interface Waiting {
  readonly response: ServerResponse;
  readonly serve: () => unknown;
}

interface Line {
  waiting: Waiting[];
  isRefused: boolean;
}

export interface Turns {
  /**
   * Serves a request after the earlier requests of its connection. When more than WAITING_LIMIT requests of a connection wait,
   * answers the first of them with 429, and closes the connection without an answer to the others.
   */
  readonly serve: RequestListener;
  /** Whether a request of the connection is being served. */
  readonly isBusy: (connection: Socket) => boolean;
}

export function inTurn(serve: (request: IncomingMessage, response: ServerResponse) => unknown): Turns {
  const lines = new WeakMap<Socket, Line>();
  const begin = (socket: Socket, line: Line, { response, serve: start }: Waiting) => {
    response.once('close', () => {
      const next = line.waiting.shift();
      if (next === undefined) lines.delete(socket);
      // through the event loop, so that other connections get their turn
      else if (!socket.destroyed) setImmediate(begin, socket, line, next);
    });
    response.once('prefinish', () => {
      // once the answer is written, Node.js sets its own timeout
      if (!response.writableFinished) socket.setTimeout(UNREAD_LIMIT_MILLISECONDS);
    });
    void start();
  };
  const take: RequestListener = (request, response) => {
    const { socket } = request;
    const asked: Waiting = { response, serve: () => serve(request, response) };
    const line = lines.get(socket);
    if (line === undefined) {
      const first: Line = { waiting: [], isRefused: false };
      lines.set(socket, first);
      begin(socket, first, asked);
    } else if (!line.isRefused) {
      line.waiting.push(asked);
      if (line.waiting.length > WAITING_LIMIT) refuse(socket, line);
    }
  };
  return { serve: take, isBusy: (connection) => lines.has(connection) };
}

/** Refuses the first waiting request; the requests after it are never answered. */
function refuse(socket: Socket, line: Line): void {
  line.isRefused = true;
  line.waiting = line.waiting
    .slice(0, 1)
    .map(({ response }) => ({ response, serve: () => sendRefusal(response) }));
  // later requests on this connection are not even parsed
  socket.pause();
}

function sendRefusal(response: ServerResponse): void {
  const refused = fault('TooManyPipelined', { limit: WAITING_LIMIT });
  response.writeHead(refused.status, {
    'content-type': 'application/json',
    'retry-after': '1',
    connection: 'close',
  });
  response.end(JSON.stringify(errorDocument(refused)));
}
