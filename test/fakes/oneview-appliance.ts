// A OneView appliance on loopback: sessions, and servers with power and the profiles that users assign to them.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface Server {
  powerState: string;
  serverProfileUri: string | null;
}

export interface OneviewAppliance {
  readonly address: string;
  /** By URI; tests may change them. */
  readonly servers: Map<string, Server>;
  /** `GET /rest/server-hardware/1`, in order. */
  readonly requests: readonly string[];
  readonly sessions: Set<string>;
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body?: object;
}

const SESSIONS = '/rest/login-sessions';
const refusal = (status: number, errorCode: string): Answer => ({
  status,
  body: { errorCode, message: `The request was refused: ${errorCode}.` },
});

/** Starts an appliance with server `/rest/server-hardware/1`, which is off and has no profile; `ironic`, `secret`. */
export async function startOneviewAppliance(): Promise<OneviewAppliance> {
  const servers = new Map([
    ['/rest/server-hardware/1', { powerState: 'Off', serverProfileUri: null } as Server],
  ]);
  const sessions = new Set<string>();
  const requests: string[] = [];
  let logins = 0;

  const logIn = (given: string): Answer => {
    const { userName: user, password } = JSON.parse(given) as Record<string, unknown>;
    if (user !== 'ironic' || password !== 'secret') return refusal(400, 'AUTHN_AUTH_FAIL');
    logins += 1;
    const sessionID = `session-${logins}`;
    sessions.add(sessionID);
    return { status: 200, body: { sessionID } };
  };

  const press = (uri: string, given: string): Answer => {
    const server = servers.get(uri);
    if (server === undefined) return refusal(404, 'RESOURCE_NOT_FOUND');
    const { powerState } = JSON.parse(given) as Server;
    if (server.powerState === powerState) return refusal(400, 'INVALID_POWER_CONTROL_REQUEST');
    server.powerState = powerState;
    return { status: 202, body: { uri: '/rest/tasks/1' } };
  };

  const obey = (method: string, url: string, body: string): Answer => {
    if (method === 'PUT' && url.endsWith('/powerState'))
      return press(url.slice(0, -'/powerState'.length), body);
    const found = method === 'GET' ? servers.get(url) : undefined;
    return found === undefined ? refusal(404, 'RESOURCE_NOT_FOUND') : { status: 200, body: found };
  };

  const answerTo = async (request: IncomingMessage): Promise<Answer> => {
    const { method = '', url = '', headers } = request;
    const body = await text(request);
    requests.push(`${method} ${url}`);
    if (headers['x-api-version'] === undefined) return refusal(412, 'VERSION');
    if (method === 'POST' && url === SESSIONS) return logIn(body);
    const session = String(headers['auth']);
    if (!sessions.has(session)) return refusal(401, 'AUTHORIZATION');
    if (method !== 'DELETE' || url !== SESSIONS) return obey(method, url, body);
    sessions.delete(session);
    return { status: 204 };
  };

  const server = createServer((request, response) => void respond(response, answerTo(request)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    servers,
    requests,
    sessions,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function respond(response: ServerResponse, answer: Promise<Answer>): Promise<void> {
  const { status, body } = await answer;
  response.writeHead(status);
  response.end(body === undefined ? '' : JSON.stringify(body));
}
