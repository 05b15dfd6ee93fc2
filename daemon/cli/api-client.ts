// The HTTP client of the commands that talk to a running daemon.
import { systemClock } from '../lib/clock.ts';
import {
  HttpClient,
  type HttpClientSettings,
  type HttpRequest,
  type StreamedBody,
} from '../lib/http-client/http-client.ts';
import { failureReason } from '../lib/http-client/http-failure.ts';
import type { HttpReply } from '../lib/http-client/send-request.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { MAXIMUM_MINOR, versionText } from '../model/microversions.ts';
import { maskSecrets } from '../model/secrets.ts';
import { CommandFailure, exitCodes } from './exit-codes.ts';
import { readGivenFile } from './given-file.ts';

export interface ApiReply extends Omit<HttpReply, 'bytes'> {
  /** null when the reply has no body. */
  readonly body: Json;
}

export interface ApiClient {
  /** `path` includes the query. Throws Unreachable, or ApiRefusal when the daemon refuses the request. */
  request(method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, body?: Json): Promise<ApiReply>;
  /** Reads the list `field` of a reply and of all further pages, and returns the objects in these lists. */
  list(path: string, field: string): Promise<readonly JsonObject[]>;
  /** Sends GET for a reply that goes on until the server ends it, and passes on each piece. Rejects when `signal` aborts. */
  follow(path: string, onPiece: (piece: Uint8Array) => Promise<void>, signal: AbortSignal): Promise<void>;
  /** Sends PUT with a body that is not kept in memory, and returns the object in the reply. */
  upload(path: string, body: StreamedBody): Promise<JsonObject>;
  /** Sends POST, and returns the object in the reply. */
  post(path: string, body: Json): Promise<JsonObject>;
}

export const pathOfNode = (node: string): string => `/v1/nodes/${encodeURIComponent(node)}`;

/** The objects in a value of a reply; none when the value is not a list. */
export const objectsIn = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

/** The environment variables that this client reads. Ironic's command-line client reads the same variables. */
export const ENVIRONMENT_HELP = `environment:
  OS_ENDPOINT               URL of the API (default http://127.0.0.1:6385), or unix:/PATH of [api] unix_socket
  OS_USERNAME, OS_PASSWORD  credentials, for [DEFAULT] auth_strategy = http_basic
  OS_CACERT                 file of the CA certificate that verifies the API's certificate
`;

const NOT_FOUND = 404;

/** How many characters of an unexpected reply are shown. */
const LONGEST_SHOWN = 200;

const DEFAULT_URL = 'http://127.0.0.1:6385';

/** Longer than the daemon takes to answer any request. */
const TIMEOUT_SECONDS = 600;

/** The longest time for which one reply is followed, or one body is sent. */
const FOLLOW_SECONDS = 86_400;

/** The API cannot be reached, or sends no complete reply in time. */
class Unreachable extends CommandFailure {
  constructor(message: string) {
    super(message, exitCodes.unreachable);
  }
}

/** The API refused a request. */
export class ApiRefusal extends CommandFailure {
  readonly status: number;
  /** Whether the API says that there is no such resource. Another server, such as a proxy, also answers 404, for its own reasons. */
  readonly isAbsence: boolean;

  constructor(request: string, { status, body }: Pick<ApiReply, 'status' | 'body'>) {
    super(
      `${request} was refused with ${status}: ${refusalIn(body)}`,
      status === NOT_FOUND ? exitCodes.notFound : exitCodes.refused,
    );
    this.status = status;
    this.isAbsence = status === NOT_FOUND && isJsonObject(body) && body['error_message'] !== undefined;
  }
}

export const apiRefusal = (request: string, status: number, text: string): ApiRefusal =>
  new ApiRefusal(request, { status, body: parsed(text) });

export interface ApiServer {
  readonly settings: Omit<HttpClientSettings, 'clock'>;
  /** The server's address, as people write it, without a user and password. */
  readonly endpoint: string;
  /** The time limit of each request. Not set: 600. */
  readonly timeoutSeconds?: number;
  /** Headers of each request; they name the version of the API. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the user can do when the server cannot be reached, and when something else answers at its address. */
  readonly advice: { readonly unreachable: string; readonly foreign: string };
}

/** `timeoutSeconds`: the time limit of each request. Not set: 600. */
export const createApiClient = (
  environment: Readonly<Record<string, string | undefined>>,
  timeoutSeconds = TIMEOUT_SECONDS,
): ApiClient => connectApi({ ...apiServer(environment), timeoutSeconds });

/** Returns the API's server according to the environment variables. */
export function apiServer(environment: Readonly<Record<string, string | undefined>>): ApiServer {
  const { OS_ENDPOINT: endpoint = DEFAULT_URL } = environment;
  const { OS_USERNAME: user, OS_PASSWORD: password = '', OS_CACERT: authority } = environment;
  return {
    settings: {
      ...serverAt(endpoint),
      ...(user !== undefined && { login: { user, password } }),
      ...(authority !== undefined && { tls: { ca: readGivenFile('OS_CACERT', authority).toString() } }),
    },
    endpoint: maskSecrets(endpoint),
    headers: { 'openstack-api-version': `baremetal ${versionText(MAXIMUM_MINOR)}` },
    advice: {
      unreachable: 'Is the daemon running? Set OS_ENDPOINT to the URL where it listens.',
      foreign: 'Set OS_ENDPOINT to the URL where the daemon listens.',
    },
  };
}

export function connectApi(server: ApiServer): ApiClient {
  const { settings, endpoint, headers, advice, timeoutSeconds = TIMEOUT_SECONDS } = server;
  const { url } = settings;
  const client = new HttpClient({ ...settings, clock: systemClock });
  const sent = async (
    method: string,
    path: string,
    more: Pick<HttpRequest, 'body' | 'headers' | 'timeoutSeconds'>,
  ) => {
    const asked = { method, url: url + path, ...more, headers: { ...headers, ...more.headers } };
    const reply = await client.send(asked).catch((error: unknown) => {
      throw unreachable(server, error);
    });
    return answered(server, `${method} ${path}`, reply);
  };
  const request: ApiClient['request'] = (method, path, body) =>
    sent(method, path, { ...(body !== undefined && { body: JSON.stringify(body) }), timeoutSeconds });
  const unexpected = (wanted: string, body: Json) =>
    new Error(
      `${endpoint} returned ${JSON.stringify(body).slice(0, LONGEST_SHOWN)}, not ${wanted}. ${advice.foreign}`,
    );
  const objectIn = ({ body }: ApiReply) => {
    if (!isJsonObject(body)) throw unexpected('a JSON object', body);
    return body;
  };
  return {
    request,
    async list(path, field) {
      const objects: JsonObject[] = [];
      for (let page: string | undefined = path; page !== undefined;) {
        const { body } = await request('GET', page);
        if (!isJsonObject(body) || !Array.isArray(body[field])) throw unexpected(`a list of ${field}`, body);
        objects.push(...objectsIn(body[field]));
        const { next } = body;
        page = typeof next === 'string' ? next.slice(next.indexOf('/v1/')) : undefined;
      }
      return objects;
    },
    follow: (...asked) => follow(server, ...asked),
    post: async (path, content) => objectIn(await request('POST', path, content)),
    upload: async (path, body) =>
      objectIn(
        await sent('PUT', path, {
          body,
          headers: { 'content-type': 'application/octet-stream' },
          timeoutSeconds: FOLLOW_SECONDS,
        }),
      ),
  };
}

/** Opens a connection of its own: other requests of the client would have to wait for this one. */
async function follow(
  server: ApiServer,
  ...[path, onPiece, signal]: Parameters<ApiClient['follow']>
): Promise<void> {
  const { settings, headers } = server;
  const reply = await new HttpClient({ ...settings, clock: systemClock })
    .send({
      url: settings.url + path,
      headers,
      timeoutSeconds: FOLLOW_SECONDS,
      largestReplyBytes: Number.MAX_SAFE_INTEGER,
      sink: onPiece,
      signal,
    })
    .catch((error: unknown) => {
      signal.throwIfAborted();
      throw unreachable(server, error);
    });
  answered(server, `GET ${path}`, reply);
}

export const unreachable = ({ endpoint, advice }: ApiServer, error: unknown): Unreachable =>
  new Unreachable(`Cannot reach the API at ${endpoint}: ${failureReason(error)}. ${advice.unreachable}`);

/** Throws when the API refused the request, and when another server redirected or answered it. */
function answered({ advice }: ApiServer, asked: string, { status, headers, bytes }: HttpReply): ApiReply {
  const text = bytes.toString();
  const reply = { status, headers, body: parsed(text) };
  if (status < 300 && text !== '' && reply.body === text)
    throw new Error(
      `${asked} was not answered with JSON, but with ${JSON.stringify(text.slice(0, LONGEST_SHOWN))}. ${advice.foreign}`,
    );
  if (status < 300) return reply;
  if (status >= 400) throw new ApiRefusal(asked, reply);
  throw new Error(
    `${asked} was redirected with ${status} to ${headers['location']?.[0] ?? 'no URL'}. The API does not redirect. ${advice.foreign}`,
  );
}

function serverAt(endpoint: string): Pick<HttpClientSettings, 'url' | 'route'> {
  if (endpoint.startsWith('unix:/'))
    return { url: 'http://localhost', route: { kind: 'socket', path: endpoint.slice('unix:'.length) } };
  if (/^https?:\/\//.test(endpoint) && URL.canParse(endpoint))
    return { url: endpoint.replace(/\/(v1\/?)?$/, '') };
  throw new Error(
    `OS_ENDPOINT = ${JSON.stringify(maskSecrets(endpoint))}: expected a URL such as ${DEFAULT_URL}, or unix:/PATH of the API's socket`,
  );
}

// Returns text that is not JSON unchanged: it came from a proxy or another server
function parsed(text: string): Json {
  if (text === '') return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

// Returns the reason in a refusal such as {"error_message": "{\"faultstring\": ...}"}.
function refusalIn(body: Json): string {
  const message = isJsonObject(body) ? body['error_message'] : undefined;
  const inner = typeof message === 'string' ? parsed(message) : message;
  const sentence = isJsonObject(inner) ? inner['faultstring'] : undefined;
  return typeof sentence === 'string' ? sentence : JSON.stringify(body);
}
