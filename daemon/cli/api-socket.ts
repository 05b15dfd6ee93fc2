// The WebSockets of the commands that talk to a running daemon.
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { WebSocket } from 'ws';
import { tlsOptions } from '../lib/http-client/connection.ts';
import { type ApiServer, apiServer, apiRefusal, unreachable } from './api-client.ts';

const LARGEST_REFUSAL_CHARACTERS = 65_536;

/** How long the daemon may take to open a WebSocket. */
const HANDSHAKE_MILLISECONDS = 30_000;

/** `path` includes the query. Rejects with Unreachable, or with ApiRefusal when the daemon refuses the request. */
export async function openApiSocket(
  environment: Readonly<Record<string, string | undefined>>,
  path: string,
): Promise<WebSocket> {
  const server = apiServer(environment);
  const socket = connected(server, path);
  const refusal = await new Promise<IncomingMessage | undefined>((resolve, reject) => {
    socket.once('open', () => resolve(undefined));
    socket.once('unexpected-response', (_, response) => resolve(response));
    socket.once('error', (error) => {
      reject(unreachable(server, error));
    });
  });
  if (refusal === undefined) return socket;
  throw apiRefusal(`GET ${path}`, refusal.statusCode ?? 0, await textOf(refusal));
}

function connected({ settings, headers }: ApiServer, path: string): WebSocket {
  const { url, route, login, tls } = settings;
  return new WebSocket(url.replace(/^http/, 'ws') + path, {
    headers,
    perMessageDeflate: false,
    handshakeTimeout: HANDSHAKE_MILLISECONDS,
    ...(login && { auth: `${login.user}:${login.password}` }),
    ...tlsOptions(tls),
    ...(route?.kind === 'socket' && { createConnection: () => connect(route.path) }),
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  response.setEncoding('utf8');
  for await (const part of response as AsyncIterable<string>) {
    text += part;
    if (text.length > LARGEST_REFUSAL_CHARACTERS) break;
  }
  return text;
}
