// Answers requests that ask for a WebSocket: with a WebSocket, or like any other request.
import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { SocketService } from '../lib/socket-service.ts';
import type { WebSockets } from './web-sockets.ts';

interface Exchange extends HttpBindings {
  /** Makes the connection a WebSocket and discards the answer; undefined when the request is served without an upgrade. */
  readonly upgrade?: (service: SocketService) => void;
  /** Takes the limit for the time of a whole request from this one. */
  readonly unhurried?: () => void;
}

export type Fetch = (request: Request, exchange: Exchange) => Response | Promise<Response>;

/** A connection that has not become a WebSocket is closed after this long without traffic: the client might never read a refusal. */
const UNREAD_LIMIT_MILLISECONDS = 30_000;

/** Whether the request asks for a WebSocket. A request that offers another upgrade, such as to HTTP/2, is served without it. */
export const asksForWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';

export function answerUpgrades(server: Server, fetch: Fetch, sockets: WebSockets): void {
  server.on('upgrade', (request, connection: Socket, head) => {
    // the connection may end at any time, and the server no longer handles its errors
    connection.on('error', () => {});
    connection.setTimeout(UNREAD_LIMIT_MILLISECONDS, () => connection.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(connection);
    response.once('finish', () => connection.destroySoon());
    const serve = getRequestListener(async (asked) => {
      let service: SocketService | undefined;
      const upgrade = (accepted: SocketService) => void (service = accepted);
      const answer = await fetch(asked, { incoming: request, outgoing: response, upgrade });
      if (service === undefined) return answer;
      response.detachSocket(connection);
      sockets.accept({ request, connection, head }, service);
      return RESPONSE_ALREADY_SENT;
    });
    void serve(request, response);
  });
}
