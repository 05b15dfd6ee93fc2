// Serves the requests of each connection one at a time. HTTP/1.1 pipelining lets a client send many requests without
// reading an answer; Node.js would run them all at once and keep every answer in memory.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The number of requests that may wait on a connection behind the one being served. No known client pipelines. */
export const WAITING_LIMIT = 64;
/** Once an answer has been written whole, its client is disconnected when it reads nothing for this long. */
const UNREAD_LIMIT_MILLISECONDS = 30_000;

interface Waiting {
  readonly response: ServerResponse;
  readonly serve: () => unknown;
}

export interface Turns {
  /**
   * Serves a request after the earlier requests of its connection. When more than WAITING_LIMIT requests of a connection wait,
   * closes the connection: a refusal could only follow the answers before it, and Node.js would read further requests into
   * memory until then.
   */
  readonly serve: RequestListener;
  /** Whether a request of the connection is being served. */
  readonly isBusy: (connection: Socket) => boolean;
}

export function inTurn(serve: (request: IncomingMessage, response: ServerResponse) => unknown): Turns {
  const lines = new WeakMap<Socket, Waiting[]>();
  const begin = (socket: Socket, line: Waiting[], { response, serve: start }: Waiting) => {
    response.once('close', () => {
      const next = line.shift();
      if (next === undefined) lines.delete(socket);
      // through the event loop, so that other connections get their turn
      else if (!socket.destroyed) setImmediate(begin, socket, line, next);
    });
    response.once('prefinish', () => {
      if (!response.writableFinished) socket.setTimeout(UNREAD_LIMIT_MILLISECONDS);
    });
    // ends the timeout that the previous answer set: Node.js replaces it only when no request waits
    socket.setTimeout(0);
    void start();
  };
  const take: RequestListener = (request, response) => {
    const { socket } = request;
    const asked: Waiting = { response, serve: () => serve(request, response) };
    const line = lines.get(socket);
    if (line === undefined) {
      const first: Waiting[] = [];
      lines.set(socket, first);
      begin(socket, first, asked);
    } else if (line.length < WAITING_LIMIT) line.push(asked);
    else socket.destroy();
  };
  return { serve: take, isBusy: (connection) => lines.has(connection) };
}
