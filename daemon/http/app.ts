// The HTTP application: dispatches requests to routes, and handles paths, versions, bodies and faults.
import { randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import type { Caller, Services } from '../conductor/services.ts';
import type { AuditRecord } from '../lib/files/audit-file.ts';
import { during } from '../lib/loop-watch/activity.ts';
import { fault } from '../model/faults.ts';
import { MAXIMUM_MINOR, MINIMUM_MINOR, requestedMinor, versionText } from '../model/microversions.ts';
import { type Answer, answerOf, type Endpoint } from './answer.ts';
import { auditDetails, isAudited } from './audit.ts';
import { faultAnswer } from './fault-response.ts';
import type { Authentication } from './login/authenticate.ts';
import { refuseLowRole } from './login/needed-role.ts';
import { publicPaths } from './login/public-paths.ts';
import { type Pages, peerOf, visitOf } from './pages.ts';
import { baseUrl } from './request/base-url.ts';
import { mediaType } from './request/body.ts';
import { clientAddress } from './request/client-address.ts';
import { crossOriginHeaders, refuseForeignPage } from './request/cross-origin.ts';
import { namedRecords } from './request/named-records.ts';
import { readRequest } from './request/read-request.ts';
import { refuseForeignHost } from './request/refuse-foreign-host.ts';
import { type Bindings, RequestMemory } from './request/request-memory.ts';
import { RequestRates } from './request/request-rates.ts';
import { routeFor } from './request/route-for.ts';
import type { ApiRequest, Reply, Route } from './route.ts';
import { type PathRewrite, pathParameters, routedPath } from './routed-path.ts';

export interface App {
  readonly fetch: (request: Request, bindings?: Bindings) => Response | Promise<Response>;
}

export interface AppParts {
  readonly services: Services;
  readonly routes: readonly Route[];
  readonly presentPath: PathRewrite;
  readonly authenticate: Authentication['authenticate'];
  /** Endpoints outside the API, which need no API version. Each endpoint says who may use it without a login. */
  readonly beforeApi: readonly Endpoint[];
  /** Pages for browsers; undefined when they are switched off. */
  readonly pages?: Pages | undefined;
  /** Returns what a request is about, for the audit file. */
  readonly subjectOf: (request: ApiRequest) => Partial<AuditRecord>;
  /** Called for each request as soon as its answer is known. */
  readonly answered: (request: AnsweredRequest) => void;
}

export interface AnsweredRequest {
  readonly method: string;
  /**
   * The path as the route declares it, with `:name` for variable segments, or the path of the endpoint; undefined for any other
   * path, such as a page's.
   */
  readonly route: string | undefined;
  readonly status: number;
  readonly milliseconds: number;
}

/** A caller who has not logged in. */
const stranger = { user: null, role: 'reader' } as const;
const VERSION_HEADERS = {
  'x-openstack-ironic-api-minimum-version': versionText(MINIMUM_MINOR),
  'x-openstack-ironic-api-maximum-version': versionText(MAXIMUM_MINOR),
} as const;

export function createApp(parts: AppParts): App {
  const { routes, presentPath, beforeApi } = parts;
  const app = new Hono({ getPath: (request) => routedPath(request, presentPath), strict: true });
  const site: Site = {
    ...parts,
    endpoints: new Map(beforeApi.map((endpoint) => [endpoint.path, endpoint])),
    isPublic: publicPaths(routes),
    rates: new RequestRates(parts.services.clock),
    fetch: (request, bindings) => app.fetch(request, bindings),
  };
  for (const [path, group] of Map.groupBy(routes, (route) => route.path)) {
    const byMethod = new Map(group.map((route) => [route.method as string, route]));
    app.all(path, (context) => answer(site, context, byMethod));
  }
  app.notFound((context) => answer(site, context, new Map()));
  return { fetch: (request, bindings = {}) => app.fetch(request, bindings) };
}

interface Site extends Pick<
  AppParts,
  'services' | 'presentPath' | 'authenticate' | 'subjectOf' | 'answered' | 'pages'
> {
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly isPublic: (pathname: string) => boolean;
  readonly rates: RequestRates;
  readonly fetch: (request: Request, bindings: Bindings) => Response | Promise<Response>;
}

interface Exchange {
  readonly context: Context;
  readonly routes: ReadonlyMap<string, Route>;
  /** The caller, with a stranger's user and role until the login has been checked. */
  caller: Caller;
  /** Set once the version headers are read. */
  minor: number | undefined;
  /** Set once the caller is authenticated, or needs no login. */
  memory?: RequestMemory;
  /** Set before the handler runs, if the request is audited. */
  audited?: { readonly route: Route; readonly request: ApiRequest };
  /** Set once the handler has replied. */
  reply?: Reply;
}

async function answer(site: Site, context: Context, routes: ReadonlyMap<string, Route>): Promise<Response> {
  const { services } = site;
  const requestId = `req-${randomUUID()}`;
  const { method } = context.req;
  const path = loggedPath(context, routes);
  const address = clientAddress(services.config, peerOf(context.env as Bindings), (name) =>
    context.req.header(name),
  );
  const caller: Caller = { requestId, ...stranger, address };
  const exchange: Exchange = { context, routes, caller, minor: undefined };
  const started = services.clock.monotonic();
  let answered: Answer;
  try {
    answered = await during({ request: `${method} ${path}`, request_id: requestId }, () =>
      dispatch(site, exchange),
    );
  } catch (error) {
    answered = faultAnswer(error, services.log, requestId);
  }
  const { status, content } = answered;
  const milliseconds = services.clock.monotonic() - started;
  exchange.memory?.countAnswer(content);
  services.log[method === 'GET' ? 'debug' : 'info'](
    {
      request_id: requestId,
      user: exchange.caller.user,
      client: address,
      method,
      path,
      status,
      milliseconds: Math.round(milliseconds),
    },
    'request',
  );
  site.answered({ method, route: declaredPath(site, exchange), status, milliseconds });
  audit(site, exchange, status);
  return new Response(await contentFor(method, content), {
    // a Response cannot have status 101; the listener sends its own response when the connection becomes a WebSocket
    status: status === 101 ? 204 : status,
    headers: {
      ...answered.headers,
      ...(status === 405 && { allow: [...routes.keys()].join(', ') }),
      ...commonHeaders(exchange),
      ...crossOriginHeaders(services.config.cors, {
        origin: context.req.header('origin'),
        preflight: method === 'OPTIONS',
      }),
    },
  });
}

/** Returns the path for the log. A path that contains a token is logged as its route declares it. */
function loggedPath({ req }: Context, routes: ReadonlyMap<string, Route>): string {
  const [route] = routes.values();
  return route?.path.includes('/:token') === true ? route.path : req.path;
}

function declaredPath({ endpoints }: Site, { context, routes }: Exchange): string | undefined {
  const [route] = routes.values();
  return route?.path ?? endpoints.get(context.req.path)?.path;
}

async function contentFor(method: string, content: Answer['content']): Promise<Answer['content']> {
  if (method !== 'HEAD') return content;
  if (content instanceof ReadableStream) await content.cancel();
  return null;
}

function audit(
  { services, subjectOf }: Site,
  { caller, context, ...exchange }: Exchange,
  status: number,
): void {
  if (exchange.audited === undefined) return;
  const { audit: file, clock, log } = services;
  const { route, request } = exchange.audited;
  const { requestId: request_id, user, role, address: client } = caller;
  const { method, path } = context.req;
  const time = new Date(clock.now()).toISOString();
  try {
    const details = { ...subjectOf(request), ...auditDetails(route, request, exchange.reply) };
    file.append({ time, request_id, user, role, client, method, path, status, ...details });
  } catch (error) {
    log.error({ error, request_id }, 'cannot write the audit file');
  }
}

const commonHeaders = ({ caller, minor }: Exchange) => ({
  'x-openstack-request-id': caller.requestId,
  'openstack-request-id': caller.requestId,
  ...VERSION_HEADERS,
  ...(minor !== undefined && { 'x-openstack-ironic-api-version': versionText(minor) }),
});

async function dispatch(site: Site, exchange: Exchange): Promise<Answer> {
  const { services } = site;
  const { context, routes } = exchange;
  const { req } = context;
  const url = new URL(req.url);
  const { pathname, origin: own } = url;
  refuseForeignHost(services.config, url, (context.env as Bindings).incoming?.rawHeaders);
  if (req.method === 'OPTIONS') return { status: 200, content: null, headers: {} };
  refuseForeignPage(services.config.cors, {
    method: req.method,
    isSocket: (context.env as Bindings).upgrade !== undefined,
    origin: req.header('origin'),
    own,
  });
  const endpoint = site.endpoints.get(pathname);
  if (endpoint?.isOpen(exchange.caller.address) === true) return endpoint.answer(req.raw);
  const memory = await admit(site, exchange, pathname);
  const beside = besideApi(site, exchange, { endpoint, memory });
  if (beside !== undefined) return beside;
  const minor = requestedMinor(
    req.header('openstack-api-version'),
    req.header('x-openstack-ironic-api-version'),
  );
  exchange.minor = minor;
  const media = routes.get(req.method)?.media;
  refuseOtherMedia(req.header('accept'), media);
  if (routes.size === 0) throw fault('NotFound', {});
  const route = routeFor(routes, { method: req.method, path: req.path, minor });
  site.rates.count(route, exchange.caller.address);
  const parameters = pathParameters(
    services,
    route,
    { request: req.raw, path: req.path, parameters: req.param() },
    site.presentPath,
  );
  const request: ApiRequest = {
    services,
    caller: exchange.caller,
    minor,
    baseUrl: baseUrl(services.config, { url: req.url, header: (name) => req.header(name) }),
    path: req.path,
    parameters,
    header: (name) => req.header(name),
    named: namedRecords(services, parameters, minor),
    keepBody: () => memory.keepBody(),
    ...(await readRequest(services, route, { request: req.raw, memory, minor })),
  };
  if (isAudited(route)) exchange.audited = { route, request };
  refuseLowRole(route, request);
  exchange.reply = await replyOf(route, request, context.env as Bindings);
  return answerOf(exchange.reply);
}

async function replyOf(route: Route, request: ApiRequest, { upgrade }: Bindings): Promise<Reply> {
  if (route.media === 'websocket' && upgrade === undefined)
    throw fault('WebSocketRequired', { path: request.path });
  const reply = await route.handler(request);
  if (reply.socket !== undefined) upgrade?.(reply.socket);
  return reply;
}

/** Returns the answer of an endpoint or a page; undefined when the request is for the API. */
function besideApi(
  { pages, fetch }: Site,
  { context, caller }: Exchange,
  { endpoint, memory }: { readonly endpoint: Endpoint | undefined; readonly memory: RequestMemory },
): Answer | Promise<Answer> | undefined {
  const { raw, url } = context.req;
  if (endpoint !== undefined) return endpoint.answer(raw);
  if (pages?.has(raw, new URL(url)) !== true) return undefined;
  return pages.answer(visitOf(context, { caller, memory, fetch }));
}

/**
 * Authenticates the caller, unless the path needs no login. Resolves with the RequestMemory, which counts the memory that the
 * request occupies. Rejects with login faults or Overloaded.
 */
async function admit(
  { services, authenticate, isPublic }: Site,
  exchange: Exchange,
  pathname: string,
): Promise<RequestMemory> {
  const { context, caller } = exchange;
  const bindings = context.env as Bindings;
  const peer = peerOf(bindings) ?? 'local';
  const token = context.req.header('x-auth-token');
  // Keystone clients send their token in X-Auth-Token instead of Authorization
  const authorization =
    context.req.header('authorization') ?? (token === undefined ? undefined : `Bearer ${token}`);
  const isOpen = isPublic(pathname);
  const who = isOpen ? stranger : await authenticate({ authorization, peer, address: caller.address });
  exchange.caller = { ...caller, ...who };
  const share = isOpen ? 'strangers' : 'operators';
  exchange.memory = new RequestMemory(services, { peer, share }, bindings);
  return exchange.memory;
}

const ACCEPTABLE: ReadonlySet<string> = new Set(['*/*', 'application/json', 'application/*']);

function refuseOtherMedia(accept: string | undefined, media: Route['media']): void {
  const isAcceptable = (range: string) => ACCEPTABLE.has(mediaType(range)) || mediaType(range) === media;
  if (accept === undefined || accept.split(',').some(isAcceptable)) return;
  throw fault('MediaTypeNotAcceptable', { accept });
}
