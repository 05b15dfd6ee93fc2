// An HTTP(S) server on loopback for JSON. The BMC of bmc.ts, the simulated agent, and the OneView appliance with its iLOs use it.
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './certificate.ts';

export interface ServedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string | undefined;
  readonly headers: http.IncomingHttpHeaders;
  /** Undefined when the body is missing or is not JSON. */
  readonly body: unknown;
}

/** A reply with `body`, which is sent as JSON, or with `text`, which is sent unchanged. */
export interface ServedReply {
  /** 0: the connection breaks without a reply. */
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly text?: string;
}

export interface RunningServer {
  readonly port: number;
  /** The number of open connections. */
  readonly connections: number;
  /** Serves new connections with this certificate, and ends the open ones. Only for a server that has a certificate. */
  exchangeCertificate(certificate: Certificate): void;
  /** Stops immediately and closes every connection. */
  close(): void;
}

export async function serve(
  answer: (question: ServedRequest) => Promise<ServedReply>,
  {
    certificate,
    isDown = () => false,
    port: wantedPort = 0,
  }: {
    readonly certificate?: Certificate;
    /** While it returns true, every new connection is closed at once. */
    readonly isDown?: () => boolean;
    /** 0: any free port. */
    readonly port?: number;
  } = {},
): Promise<RunningServer> {
  const handle = (request: http.IncomingMessage, response: http.ServerResponse) =>
    void converse(request, response, answer);
  const server =
    certificate === undefined ? http.createServer(handle) : https.createServer(certificate, handle);
  const open = new Set<object>();
  server.on('connection', (socket) => {
    if (isDown()) socket.destroy();
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  server.listen(wantedPort, '127.0.0.1').unref();
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    get connections() {
      return open.size;
    },
    exchangeCertificate(exchanged) {
      if (server instanceof https.Server) server.setSecureContext(exchanged);
      server.closeAllConnections();
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function converse(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  answer: (question: ServedRequest) => Promise<ServedReply>,
): Promise<void> {
  const { status, headers, body, text } = await answer(await read(request));
  if (status === 0) return void request.socket.destroy();
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers });
  response.end(text ?? (body === undefined ? undefined : JSON.stringify(body)));
}

async function read(request: http.IncomingMessage): Promise<ServedRequest> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://machine.invalid');
  let text = '';
  for await (const chunk of request.setEncoding('utf8') as AsyncIterable<string>) text += chunk;
  return {
    method: request.method ?? '',
    path: pathname,
    query: searchParams,
    authorization: request.headers.authorization,
    headers: request.headers,
    body: parsed(text),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
