// The stages of a request on its way to an answer: arrived, admitted, versioned, read, replied. Each is made of the one before and
// what has become known since. A fault may end the way after any stage.
import type { Context } from 'hono';
import type { Services } from '../conductor/services.ts';
import type { Caller } from '../model/caller.ts';
import { Fault, fault } from '../model/faults.ts';
import { type Answer, answerOf, type Endpoint } from './answer.ts';
import type { Authentication } from './login/authenticate.ts';
import { refuseLowRole } from './login/route-access.ts';
import { isNavigation, isOwnRequest } from './login/sessions/own-request.ts';
import { cookieIn } from './login/sessions/session-cookie.ts';
import { untilEnded } from './login/sessions/until-ended.ts';
import { type Pages, visitOf } from './pages.ts';
import { baseUrl, isRead, refuseForeignHost, refuseForeignPage } from './request/arriving.ts';
import { mediaType } from './request/body.ts';
import { readRequest } from './request/read-request.ts';
import { type Bindings, peerOf, RequestMemory } from './request/request-memory.ts';
import type { RequestRates } from './request/request-rates.ts';
import type { ApiRequest, Reply, Route } from './route.ts';
import { minorOf, namedRecords, pathParameters, routeFor } from './routing.ts';

/** What the stages need of the application. */
export interface Entrance {
  readonly services: Services;
  readonly authentication: Pick<Authentication, 'authenticate' | 'signIn'>;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly rates: RequestRates;
  readonly fetch: (request: Request, bindings: Bindings) => Response | Promise<Response>;
}

export interface Arrived {
  readonly context: Context;
  /** The routes of its path, by method. */
  readonly routes: ReadonlyMap<string, Route>;
  readonly url: URL;
  /** Whether its path needs no login. */
  readonly isPublic: boolean;
  /** The pages for browsers, if its path may be one; undefined when they are switched off. */
  readonly pages: Pages | undefined;
  /** Who sends it, with a stranger's user and role until the login has been checked. */
  readonly caller: Caller;
}

interface Admitted extends Arrived {
  /** Counts the memory that the request occupies. */
  readonly memory: RequestMemory;
}

interface Versioned extends Admitted {
  /** The minor API version that it asks for. */
  readonly minor: number;
}

interface Read extends Versioned {
  readonly route: Route;
  readonly request: ApiRequest;
}

interface Replied extends Read {
  readonly reply: Reply;
}

/** How far a request has come: the members of the stages that it has not reached are not set. */
export type Reached = Arrived & Partial<Omit<Replied, keyof Arrived>>;

/** Takes the request through its stages, and tells of each that it reaches. Rejects with the fault that ends its way. */
export async function dispatch(
  entrance: Entrance,
  arrived: Arrived,
  reach: <Stage extends Reached>(stage: Stage) => Stage,
): Promise<Answer> {
  const open = openAnswer(entrance, arrived);
  if (open !== undefined) return open;
  const known = await authenticated(entrance, arrived);
  if ('content' in known) return known;
  reach(known);
  const admitted = reach(admit(entrance, known));
  const beside = besideApi(entrance, admitted);
  if (beside !== undefined) return beside;
  const versioned = reach({ ...admitted, minor: minorOf(arrived.context.req.raw.headers) });
  const read = reach(await readRouted(entrance, versioned, routed(entrance, versioned)));
  refuseLowRole(read.route, read.request);
  const { reply } = reach({ ...read, reply: await replyTo(entrance, read) });
  return answerOf(reply);
}

/** Returns the answer to what needs no login. Throws SeveralHosts, ForeignHost or ForeignOrigin. */
function openAnswer(
  { services, endpoints }: Entrance,
  { context, routes, url, caller }: Arrived,
): Answer | Promise<Answer> | undefined {
  const { req } = context;
  const { incoming, upgrade } = context.env as Bindings;
  refuseForeignHost(services.config, url, incoming?.rawHeaders);
  if (req.method === 'OPTIONS') return { status: 200, content: null, headers: {} };
  const lasts = upgrade !== undefined || routes.get(req.method)?.media !== undefined;
  refuseForeignPage(services.config.cors, req.raw, { lasts, isOwn: isOwnOrigin(services, context) });
  const endpoint = endpoints.get(url.pathname);
  return endpoint?.isOpen(caller.address) === true ? endpoint.answer(req.raw) : undefined;
}

/** The user and the role of a caller who has not logged in. */
export const stranger = { user: null, role: 'reader' } as const;

/** Returns the URL under which the client reaches the API. Throws InvalidParameter when a proxy's headers do not form a URL. */
const baseOf = ({ config }: Services, { req, env }: Context): string =>
  baseUrl(config, {
    url: req.url,
    peer: peerOf(env as Bindings),
    header: (name) => req.header(name),
  });

/** Whether an origin is the one under which the client reaches the API. */
const isOwnOrigin =
  (services: Services, context: Context): ((origin: string) => boolean) =>
  (origin) =>
    origin === new URL(context.req.url).origin || origin === new URL(baseOf(services, context)).origin;

/**
 * Resolves with the request and who sends it, or with the answer that sends a browser to the page where its person signs in. Rejects
 * with login faults, unless the path needs no login.
 */
async function authenticated(entrance: Entrance, arrived: Arrived): Promise<Arrived | Answer> {
  const { authentication } = entrance;
  const { context, url, isPublic, pages, caller } = arrived;
  if (isPublic) return arrived;
  const { visitedBy } = context.env as Bindings;
  if (visitedBy !== undefined) return { ...arrived, caller: { ...caller, ...visitedBy } };
  const isOpen = pages?.isOpen(url) === true;
  const authorization = isOpen ? undefined : authorizationOf(context);
  const session = sessionOf(entrance, arrived);
  try {
    const who = await authentication.authenticate({ authorization, session, address: caller.address });
    return { ...arrived, caller: { ...caller, ...who } };
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'AuthenticationRequired') throw error;
    return isOpen ? arrived : turnedAway(entrance, arrived, error);
  }
}

/** Keystone clients send their token in X-Auth-Token instead of Authorization. */
function authorizationOf({ req }: Context): string | undefined {
  const token = req.header('x-auth-token');
  return req.header('authorization') ?? (token === undefined ? undefined : `Bearer ${token}`);
}

/**
 * Returns what the request may use of a session: nothing, unless the daemon's own page sends it, or it is for a page that the browser
 * shows as such.
 */
function sessionOf({ services, authentication }: Entrance, { context, url, pages }: Arrived) {
  const { raw } = context.req;
  if (authentication.signIn === undefined || !raw.headers.has('cookie')) return undefined;
  const isSecure = baseOf(services, context).startsWith('https:');
  const secret = cookieIn(raw.headers, 'ironic-edge-session', { isSecure });
  if (secret === undefined) return undefined;
  const isShown = isRead(raw.method) && isNavigation(raw) && pages?.has(raw, url) === true;
  if (!isShown && !isOwnRequest(raw, isOwnOrigin(services, context))) return undefined;
  return { secret, isUsed: isNavigation(raw) || !isRead(raw.method) };
}

/** Returns the way to the page where people sign in. Throws `error` for other clients, and SessionEnded for scripts of the page. */
function turnedAway(
  { services, authentication }: Entrance,
  { context, url, pages }: Arrived,
  error: Fault,
): Answer {
  const { raw } = context.req;
  const isPage = isNavigation(raw) && pages?.has(raw, url) === true;
  const location = isPage ? pages.signInAt(raw, url) : undefined;
  const headers = { location: location ?? '', vary: 'Accept', 'cache-control': 'no-store' };
  if (location !== undefined) return { status: isRead(raw.method) ? 302 : 303, content: null, headers };
  const isScript = authentication.signIn !== undefined && isOwnRequest(raw, isOwnOrigin(services, context));
  throw isScript ? fault('SessionEnded', {}) : error;
}

/** Throws Overloaded when the client may use no more memory. */
function admit({ services }: Entrance, arrived: Arrived): Admitted {
  const { context, url, isPublic, pages, caller } = arrived;
  const isOpen = isPublic || pages?.isOpen(url) === true;
  const share = isOpen ? 'strangers' : 'operators';
  const claimant = { peer: caller.address ?? 'local', share } as const;
  return { ...arrived, memory: new RequestMemory(services, claimant, context.env as Bindings) };
}

/** Returns the answer of an endpoint or a page; undefined when the request is for the API. */
function besideApi(
  { services, endpoints, fetch, rates }: Entrance,
  { context, url, pages, caller, memory }: Admitted,
): Answer | Promise<Answer> | undefined {
  const { raw } = context.req;
  const endpoint = endpoints.get(url.pathname);
  if (endpoint !== undefined) return endpoint.answer(raw);
  if (pages?.has(raw, url) !== true) return undefined;
  if (pages.isOpen(url)) rates.count(SIGN_IN, SIGN_IN_RATE, caller.address);
  const { origin } = new URL(baseOf(services, context));
  return pages.answer(visitOf(context, { caller, origin, memory, fetch }));
}

const SIGN_IN = '/ui/login';
/** How often one network may ask for the pages that need no login. */
const SIGN_IN_RATE = { perSecond: 5, burst: 100 };

/** Returns the route. Throws MediaTypeNotAcceptable, NotFound, TooManyRequests, or what `routeFor` throws. */
function routed({ rates }: Entrance, { context: { req }, routes, caller, minor }: Versioned): Route {
  refuseOtherMedia(req.header('accept'), routes.get(req.method)?.media);
  if (routes.size === 0) throw fault('NotFound', {});
  const route = routeFor(routes, { method: req.method, path: req.path, minor });
  if (route.rate !== undefined) rates.count(route.path, route.rate, caller.address);
  return route;
}

const ACCEPTABLE: ReadonlySet<string> = new Set(['*/*', 'application/json', 'application/*']);

function refuseOtherMedia(accept: string | undefined, media: Route['media']): void {
  if (accept === undefined || ACCEPTABLE.has(accept)) return;
  const isAcceptable = (range: string) => ACCEPTABLE.has(mediaType(range)) || mediaType(range) === media;
  if (accept.split(',').some(isAcceptable)) return;
  throw fault('MediaTypeNotAcceptable', { accept });
}

/** Reads body, query and path. Rejects with the faults of their checks. */
async function readRouted({ services }: Entrance, versioned: Versioned, route: Route): Promise<Read> {
  const { context, caller, memory, minor } = versioned;
  const { req } = context;
  const header = (name: string) => req.header(name);
  const read = await readRequest(services, route, { request: req.raw, memory, minor });
  const { identifiedBy: by } = route;
  const given = by === undefined ? req.param() : { [by.of]: String(read.query[by.argument]) };
  const asked = { request: req.raw, path: req.path, parameters: given };
  const parameters = pathParameters(services, route, asked);
  const request: ApiRequest = {
    services,
    caller,
    minor,
    baseUrl: baseOf(services, context),
    path: req.path,
    parameters,
    header,
    named: namedRecords(services, parameters, minor),
    keepBody: () => memory.keepBody(),
    ...read,
  };
  return { ...versioned, route, request };
}

async function replyTo(
  { authentication: { signIn } }: Entrance,
  { context, route, request }: Read,
): Promise<Reply> {
  const { upgrade } = context.env as Bindings;
  if (route.media === 'websocket' && upgrade === undefined)
    throw fault('WebSocketRequired', { path: request.path });
  const { session } = request.caller;
  const done = await route.handler(request);
  const reply =
    session === undefined
      ? done
      : untilEnded(done, (end) => signIn?.sessions.whenEnded(session, end) ?? (() => {}));
  if (reply.socket !== undefined) upgrade?.(reply.socket);
  return reply;
}
