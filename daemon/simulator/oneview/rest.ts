// The REST API of a simulated OneView appliance: sessions, versions, lists, and where each request goes.
import { randomBytes } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { ServedRequest, ServedReply } from '../server.ts';
import { type FaultAction, isTaskFault } from './faults.ts';
import type { Power } from './power.ts';
import type { Profiles, ProfileRequest } from './profiles.ts';
import { resourceNotFound, applianceRefusal } from './refusals.ts';
import type { Sessions } from './sessions.ts';
import { type ApplianceState, textField } from './state.ts';
import type { ApplianceWork } from './work.ts';

export interface RestParts {
  readonly state: ApplianceState;
  readonly sessions: Sessions;
  readonly profiles: Profiles;
  readonly power: Power;
  readonly work: ApplianceWork;
  /** Host and port of the iLOs. */
  readonly iloAddress: () => string;
  readonly version: () => { readonly minimum: number; readonly current: number };
  /** The largest number of members in one page of a list. */
  readonly pageSize: number;
}

const SESSIONS = '/rest/login-sessions';

type Handler = (parts: RestParts, request: ProfileRequest, question: ServedRequest) => ServedReply;

/** Handlers by method and collection; each handler gets the path of the requested resource. */
const handlers: Readonly<Record<string, Handler>> = {
  'GET /rest/server-hardware': (parts, { path }, { query }) => {
    const servers = [...parts.state.servers.values()];
    if (path === '/rest/server-hardware')
      return page(
        path,
        query,
        servers.map((one) => parts.power.describe(one)),
        parts.pageSize,
      );
    if (path.endsWith('/remoteConsoleUrl')) return consoleUrl(parts, path);
    const server = parts.state.servers.get(path);
    return server === undefined
      ? resourceNotFound(path)
      : { status: 200, body: parts.power.describe(server) };
  },
  'PUT /rest/server-hardware': (parts, request) => {
    const server = parts.state.servers.get(request.path.replace('/powerState', ''));
    if (server === undefined || !request.path.endsWith('/powerState')) return resourceNotFound(request.path);
    return parts.power.press(server, request);
  },
  'GET /rest/server-profile-templates': (parts, { path }, { query, headers }) => {
    const { templates } = parts.state;
    const described = [...templates.values()].map(({ uri, body }) => ({ ...body, uri }));
    if (path === '/rest/server-profile-templates') return page(path, query, described, parts.pageSize);
    const isNew = path.endsWith('/new-profile');
    const template = templates.get(path.replace('/new-profile', ''));
    if (template === undefined) return resourceNotFound(path);
    const body = isNew
      ? newProfile(template.body, template.uri, Number(headers['x-api-version'] ?? parts.version().minimum))
      : template.body;
    return { status: 200, body: isNew ? body : { ...body, uri: template.uri } };
  },
  'GET /rest/server-profiles': (parts, { path }, { query }) => {
    const { profiles } = parts.state;
    if (path === '/rest/server-profiles') {
      const all = [...profiles.values()].map((one) => parts.profiles.document(one));
      return page(path, query, all.filter(filterIn(query)), parts.pageSize);
    }
    const found = profiles.get(path);
    if (found === undefined) return applianceRefusal(404, 'ProfileNotFoundException');
    const body = parts.profiles.document(found);
    return { status: 200, headers: { etag: textField(body, 'eTag') }, body };
  },
  'POST /rest/server-profiles': (parts, request) => parts.profiles.create(request),
  'PUT /rest/server-profiles': (parts, request) => parts.profiles.change(request),
  'DELETE /rest/server-profiles': (parts, request) => parts.profiles.remove(request),
  'GET /rest/tasks': (parts, { path }) => {
    const task = parts.state.tasks.get(path);
    return task === undefined || task.isLost
      ? resourceNotFound(path)
      : { status: 200, body: parts.work.document(task) };
  },
};

/** Answers a request; `fault`: what goes wrong with the request. */
export function answerRest(
  parts: RestParts,
  question: ServedRequest,
  fault: FaultAction | undefined,
): ServedReply {
  const path = withoutSlash(question.path);
  if (path === '/rest/version') return versionReply(parts);
  const misfit = headerProblem(parts, question);
  if (misfit !== undefined) return misfit;
  if (question.method === 'POST' && path === SESSIONS) return logIn(parts.sessions, question.body);
  if (fault?.kind === 'expired session') parts.sessions.expire();
  const { auth } = question.headers;
  const session = typeof auth === 'string' ? auth : '';
  const user = parts.sessions.userOf(session);
  if (user === undefined)
    return applianceRefusal(401, 'AUTHORIZATION', 'The session is unknown or has expired.');
  return isLogout(question.method, path)
    ? logOut(parts.sessions, session)
    : dispatched(parts, { ...question, path }, user, fault);
}

const isLogout = (method: string, path: string): boolean => method === 'DELETE' && path === SESSIONS;

function versionReply({ version }: RestParts): ServedReply {
  const { minimum, current } = version();
  return { status: 200, body: { currentVersion: current, minimumVersion: minimum } };
}

function headerProblem({ version }: RestParts, { headers, body }: ServedRequest): ServedReply | undefined {
  const { minimum, current } = version();
  const wanted = headers['x-api-version'];
  if (wanted !== undefined && !(Number(wanted) >= minimum && Number(wanted) <= current))
    return applianceRefusal(
      412,
      'UNSUPPORTED_API_VERSION',
      `The version is ${String(wanted)}, not ${minimum} to ${current}.`,
    );
  const isJson = String(headers['content-type']).startsWith('application/json');
  return body === undefined || isJson ? undefined : applianceRefusal(415, 'UNSUPPORTED_MEDIA_TYPE');
}

function dispatched(
  parts: RestParts,
  question: ServedRequest,
  user: string,
  fault: FaultAction | undefined,
): ServedReply {
  const { method, path, headers, body, query } = question;
  const collection = path.split('/').slice(0, 3).join('/');
  const handler = handlers[`${method} ${collection}`];
  if (handler === undefined)
    return applianceRefusal(405, 'METHOD_NOT_ALLOWED', `There is no ${method} ${path}.`);
  const etag = headers['if-match'];
  const request: ProfileRequest = {
    user,
    path,
    body: isJsonObject(body) ? body : {},
    etag: fault?.kind === 'stale etag' ? 'stale' : etag,
    isForced: query.get('force')?.toLowerCase() === 'true',
    fault: isTaskFault(fault) ? fault : undefined,
  };
  return handler(parts, request, question);
}

// SDKs differ in whether the path of a collection ends in a slash
const withoutSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path);

function logIn(sessions: Sessions, body: unknown): ServedReply {
  const { userName, password } = isJsonObject(body) ? body : {};
  const id = sessions.logIn(userName, password, randomBytes(24).toString('base64url'));
  if (id === undefined) return applianceRefusal(400, 'AUTHN_AUTH_FAIL', 'Invalid user name or password.');
  return { status: 200, body: { sessionID: id, partnerData: {} } };
}

function logOut(sessions: Sessions, id: string): ServedReply {
  sessions.logOut(id);
  return { status: 204 };
}

function consoleUrl({ state, iloAddress }: RestParts, path: string): ServedReply {
  const server = state.servers.get(path.replace('/remoteConsoleUrl', ''));
  if (server === undefined) return resourceNotFound(path);
  const key = randomBytes(16).toString('hex');
  server.iloKeys.add(key);
  return { status: 200, body: { remoteConsoleUrl: `hplocons://addr=${iloAddress()}&sessionkey=${key}` } };
}

const profileTypes: readonly (readonly [number, string])[] = [
  [1600, 'ServerProfileV12'],
  [1200, 'ServerProfileV11'],
  [1000, 'ServerProfileV10'],
  [800, 'ServerProfileV9'],
  [600, 'ServerProfileV8'],
  [500, 'ServerProfileV7'],
  [300, 'ServerProfileV6'],
];

function newProfile(template: JsonObject, uri: string, version: number): JsonObject {
  const type = profileTypes.find(([since]) => version >= since)?.[1] ?? 'ServerProfileV5';
  return { ...template, type, name: null, serverHardwareUri: null, serverProfileTemplateUri: uri };
}

/** The filter of a list of profiles. Only a filter by name has an effect, as in `"name='x'"`. */
function filterIn(query: URLSearchParams): (body: JsonObject) => boolean {
  const filter = query.get('filter')?.replaceAll('"', '') ?? '';
  if (!filter.startsWith("name='") && !filter.startsWith("'name'='")) return () => true;
  const wanted = filter.slice(filter.indexOf('=') + 1).replaceAll("'", '');
  return (body) => textField(body, 'name').toLowerCase() === wanted.toLowerCase();
}

function page(
  path: string,
  query: URLSearchParams,
  all: readonly JsonObject[],
  pageSize: number,
): ServedReply {
  const start = Number(query.get('start') ?? 0);
  const count = Number(query.get('count') ?? -1);
  const size = count < 0 ? pageSize : Math.min(count, pageSize);
  const members = all.slice(start, start + size);
  const next = start + size < all.length ? `${path}?start=${start + size}&count=${size}` : null;
  return {
    status: 200,
    body: { uri: path, start, count: members.length, total: all.length, nextPageUri: next, members },
  };
}
