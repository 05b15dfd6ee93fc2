// A Redfish BMC on loopback: one system with power and health, and sessions of which it has few.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface RedfishBmc {
  readonly address: string;
  /** What the next requests find; tests may change all of it. */
  readonly state: BmcSettings;
  /** `GET /redfish/v1/Systems/1`, in order. */
  readonly requests: readonly string[];
  /** The tokens of the sessions that are open. */
  readonly sessions: Set<string>;
  stop(): Promise<void>;
}

interface BmcSettings {
  power: 'On' | 'Off';
  health: string;
  password: string;
  hasSessions: boolean;
  systems: readonly string[];
  /** Answers all but logins with this instead. */
  answer: Answer | undefined;
  /** Resets do nothing. */
  isStuck: boolean;
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const USER = 'admin';
const MOST_SESSIONS = 4;
const SESSIONS = '/redfish/v1/SessionService/Sessions';

const results: Readonly<Record<string, 'On' | 'Off'>> = {
  On: 'On',
  ForceRestart: 'On',
  ForceOff: 'Off',
  GracefulShutdown: 'Off',
};

/** Starts the BMC of a machine that is off; user `admin`, password `calvin`. */
export async function startRedfishBmc(): Promise<RedfishBmc> {
  const state: BmcSettings = {
    power: 'Off',
    health: 'OK',
    password: 'calvin',
    hasSessions: true,
    systems: ['/redfish/v1/Systems/1'],
    answer: undefined,
    isStuck: false,
  };
  const sessions = new Set<string>();
  const requests: string[] = [];
  let logins = 0;

  const logIn = (given: string): Answer => {
    const { UserName: user, Password: password } = JSON.parse(given) as Record<string, unknown>;
    if (user !== USER || password !== state.password)
      return refusal(401, 'Base.1.18.NoValidSession', 'Wrong login.');
    if (sessions.size >= MOST_SESSIONS)
      return refusal(503, 'Base.1.18.SessionLimitExceeded', 'Too many sessions.');
    logins += 1;
    const token = `token-${logins}`;
    sessions.add(token);
    return { status: 201, headers: { 'x-auth-token': token, location: `${SESSIONS}/${token}` }, body: {} };
  };

  const isIn = ({ headers }: IncomingMessage) =>
    sessions.has(String(headers['x-auth-token'])) ||
    headers.authorization === `Basic ${Buffer.from(`${USER}:${state.password}`).toString('base64')}`;

  const reset = (given: string): Answer => {
    const { ResetType: type } = JSON.parse(given) as { ResetType: string };
    const result = results[type];
    if (result === undefined)
      return refusal(400, 'Base.1.18.ActionParameterNotSupported', `No reset ${type}.`);
    if (result === state.power && type !== 'ForceRestart')
      return refusal(409, 'Base.1.18.ResourceInStandby', `The machine is ${state.power}.`);
    if (!state.isStuck) state.power = result;
    return { status: 204 };
  };

  const resources = (path: string): object | undefined => {
    if (path === '/redfish/v1/Systems')
      return { Members: state.systems.map((system) => ({ '@odata.id': system })) };
    return state.systems.includes(path)
      ? { '@odata.id': path, PowerState: state.power, Status: { Health: state.health } }
      : undefined;
  };

  const obey = (method: string, url: string, body: string): Answer => {
    if (state.answer !== undefined) return state.answer;
    if (method === 'DELETE' && sessions.delete(url.slice(SESSIONS.length + 1))) return { status: 204 };
    if (method === 'POST' && url.endsWith('/Actions/ComputerSystem.Reset')) return reset(body);
    const found = method === 'GET' ? resources(url) : undefined;
    return found === undefined
      ? refusal(404, 'Base.1.18.ResourceMissing', `Nothing is at ${url}.`)
      : { status: 200, body: found };
  };

  const answerTo = async (request: IncomingMessage): Promise<Answer> => {
    const { method = '', url = '' } = request;
    const body = await text(request);
    requests.push(`${method} ${url}`);
    if (method === 'POST' && url === SESSIONS)
      return state.hasSessions ? logIn(body) : refusal(404, 'Base.1.18.ResourceMissing', 'None here.');
    return isIn(request) ? obey(method, url, body) : refusal(401, 'Base.1.18.NoValidSession', 'Log in.');
  };

  const server = createServer((request, response) => void respond(response, answerTo(request)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    state,
    requests,
    sessions,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function respond(response: ServerResponse, answer: Promise<Answer>): Promise<void> {
  const { status, headers, body } = await answer;
  response.writeHead(status, headers);
  response.end(body === undefined ? '' : JSON.stringify(body));
}

function refusal(status: number, id: string, message: string): Answer {
  const info = { MessageId: id, Message: message, MessageSeverity: 'Critical' };
  const error = {
    code: 'Base.1.18.GeneralError',
    message: 'See the details.',
    '@Message.ExtendedInfo': [info],
  };
  return { status, body: { error } };
}
