// Conversations with the OneView appliance, with one session for all nodes.
import { readFile } from 'node:fs/promises';
import {
  defineFault,
  failureReason,
  fault,
  HttpClient,
  HttpFailure,
  type HttpReply,
  isJsonObject,
  type JsonObject,
  type Task,
} from '#plugin-api';
import { oneviewOptions } from './options.ts';

const SESSIONS = '/rest/login-sessions';
/** OneView 4.0; what the driver reads and writes has the same form in later versions. */
const API_VERSION = '600';
const IDLE_SECONDS = 30;
const DISPOSAL_SECONDS = 5;

export const applianceNotConfigured = defineFault(
  'OneviewNotConfigured',
  400,
  'The OneView appliance is not configured: [oneview] {option} is "{value}"; expected {expected}.',
);

export interface Appliance {
  /** Both throw the faults of `converse`. */
  get(path: string): Promise<JsonObject>;
  put(path: string, body: object): Promise<JsonObject>;
}

interface Session {
  readonly client: HttpClient;
  token: string | undefined;
}

interface Limits {
  readonly signal: AbortSignal;
  readonly timeoutSeconds: number;
}

/** Returns the URL of the appliance. Throws OneviewNotConfigured. */
export function applianceUrl(task: Task): string {
  const value = oneviewOptions(task).manager_url;
  const url = URL.parse(value.includes('://') || value === '' ? value : `https://${value}`);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '') return url.origin;
  const expected = 'an http or https URL without user and password';
  throw applianceNotConfigured({ option: 'manager_url', value, expected });
}

/**
 * Runs `work` in a conversation with the appliance. `operation` is for messages. Throws BmcFailure when the appliance does
 * not answer, BmcCredentialsRefused or BmcRefused when it does.
 */
export function converse<T>(
  task: Task,
  operation: string,
  work: (appliance: Appliance) => Promise<T>,
): Promise<T> {
  const url = applianceUrl(task);
  const { username, password, request_timeout: timeoutSeconds, ...options } = oneviewOptions(task);
  const { clock } = task;
  const state = {
    key: 'session',
    async create(): Promise<Session> {
      const file = options.tls_cacert_file;
      const ca = file === null ? {} : { ca: await readFile(file, 'utf8') };
      const tls = { rejectUnauthorized: !options.allow_insecure_connections, ...ca };
      return { client: new HttpClient({ url, tls, idleSeconds: IDLE_SECONDS, clock }), token: undefined };
    },
    dispose: (session: Session, signal: AbortSignal) =>
      logOut(session, { signal, timeoutSeconds: DISPOSAL_SECONDS }),
  };
  const place = { operation, node: task.node.uuid, address: url };
  const login = JSON.stringify({ userName: username, password });
  return task.bmc(
    url,
    { deadline: timeoutSeconds * 1000, credentials: [username, password], state },
    async ({ signal, state: session }) => {
      const send = async (request: Request) => {
        const reply = await sent(session, request, { login, signal, timeoutSeconds }).catch(
          (error: unknown) => {
            if (!(error instanceof HttpFailure)) throw error;
            throw fault('BmcFailure', { ...place, reason: failureReason(error) }, { cause: error });
          },
        );
        const body = objectIn(reply);
        if (reply.status < 300) return body;
        throw refusal(place, reply.status, body);
      };
      return work({
        get: (path) => send({ method: 'GET', path }),
        put: (path, body) => send({ method: 'PUT', path, body: JSON.stringify(body) }),
      });
    },
  );
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

/** Logs in when there is no session, or the appliance no longer knows it. */
async function sent(
  session: Session,
  request: Request,
  { login, ...limits }: Limits & { readonly login: string },
): Promise<HttpReply> {
  const isKept = session.token !== undefined;
  const refused = isKept ? undefined : await logIn(session, login, limits);
  if (refused !== undefined) return refused;
  const reply = await exchange(session, request, limits);
  if (reply.status !== 401 || !isKept) return reply;
  return (await logIn(session, login, limits)) ?? exchange(session, request, limits);
}

/** Returns the appliance's answer if it refuses the login, otherwise undefined. */
async function logIn(session: Session, body: string, limits: Limits): Promise<HttpReply | undefined> {
  session.token = undefined;
  const reply = await exchange(session, { method: 'POST', path: SESSIONS, body }, limits);
  const { sessionID: token, errorCode } = objectIn(reply);
  if (typeof token === 'string') session.token = token;
  if (session.token !== undefined) return undefined;
  // OneView answers a wrong password with 400
  return errorCode === 'AUTHN_AUTH_FAIL' ? { ...reply, status: 401 } : reply;
}

async function logOut(session: Session, limits: Limits): Promise<void> {
  try {
    if (session.token !== undefined) await exchange(session, { method: 'DELETE', path: SESSIONS }, limits);
  } finally {
    session.client.close();
  }
}

const exchange = (
  { client, token }: Session,
  { method, path, body }: Request,
  limits: Limits,
): Promise<HttpReply> =>
  client.send({
    method,
    url: path,
    headers: { 'x-api-version': API_VERSION, ...(token !== undefined && { auth: token }) },
    ...(body !== undefined && { body }),
    ...limits,
  });

function refusal(
  place: { readonly operation: string; readonly node: string; readonly address: string },
  status: number,
  { errorCode, message }: JsonObject,
) {
  const reason = typeof message === 'string' ? message : `HTTP status ${status}`;
  if (status === 401)
    return fault('BmcCredentialsRefused', {
      ...place,
      reason: `${reason} ([oneview] username and password)`,
    });
  const code = typeof errorCode === 'string' ? errorCode : 'no code';
  return fault('BmcRefused', { ...place, status, message: code, reason });
}

function objectIn({ bytes }: HttpReply): JsonObject {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
