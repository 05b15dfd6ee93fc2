// An HTTP(S) server on loopback with scripted answers that records its requests.
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Ending } from '../daemon/in-process-daemon.ts';

export interface Asked {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The parsed JSON; undefined for a request without a body. */
  readonly body: unknown;
  readonly authorization?: string;
}

export type Answering = (asked: Asked, response: http.ServerResponse) => void;

export interface ScriptedAgent {
  readonly url: string;
  readonly asked: readonly Asked[];
}

export async function scriptedAgent(
  test: Ending,
  answer: Answering,
  tls?: { readonly cert: string; readonly key: string },
): Promise<ScriptedAgent> {
  const asked: Asked[] = [];
  const handle = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const question = await read(request);
    asked.push(question);
    answer(question, response);
  };
  const listener = (...exchange: Parameters<typeof handle>) => void handle(...exchange);
  const server = tls === undefined ? http.createServer(listener) : https.createServer(tls, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return { url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`, asked };
}

async function read(request: http.IncomingMessage): Promise<Asked> {
  const url = new URL(request.url ?? '/', 'http://agent.test');
  const { authorization } = request.headers;
  let text = '';
  for await (const chunk of request.setEncoding('utf8') as AsyncIterable<string>) text += chunk;
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    body: text === '' ? undefined : JSON.parse(text),
    ...(authorization !== undefined && { authorization }),
  };
}

export function answerJson(response: http.ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
