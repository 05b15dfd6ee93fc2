// The HTTP application: paths, versions, bodies and faults around a list of routes.
import { randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { getPath } from 'hono/utils/url';
import type { Caller, Services } from '../conductor/services.ts';
import { isDeeperThan } from '../lib/json-depth.ts';
import { fault } from '../model/faults.ts';
import { MAXIMUM_MINOR, MINIMUM_MINOR, requestedMinor, versionText } from '../model/microversions.ts';
import type { Authentication } from './authenticate.ts';
import { baseUrl } from './base-url.ts';
import { takeArguments } from './arguments.ts';
import { onceEach, parseArguments, parseJson, readBytes, withParametersOfBody } from './body.ts';
import { crossOriginHeaders, refuseForeignPage } from './cross-origin.ts';
import { type Answer, faultAnswer } from './fault-response.ts';
import { healthAnswer } from './health.ts';
import { eitherReading, withoutSuffix } from './json-suffix.ts';
import { nodeFirst } from './node-first.ts';
import { parseQuery } from './parameters.ts';
import type { ApiRequest, Parameters, Reply, Route } from './route.ts';

export interface App {
  /** `bindings`: what the HTTP server adds to the request. */
  readonly fetch: (request: Request, bindings?: Bindings) => Response | Promise<Response>;
}

interface Bindings {
  /** The request's own bytes: a `Request` with GET has none, and some clients send bodies with GET. */
  readonly incoming?: AsyncIterable<Uint8Array>;
}

const ROOT = '/';
const VERSION_HEADERS = {
  'x-openstack-ironic-api-minimum-version': versionText(MINIMUM_MINOR),
  'x-openstack-ironic-api-maximum-version': versionText(MAXIMUM_MINOR),
} as const;

export function createApp(
  services: Services,
  routes: readonly Route[],
  userOf: Authentication['userOf'],
): App {
  const app = new Hono({ getPath: routedPath, strict: true });
  for (const [path, group] of Map.groupBy(routes, (route) => route.path)) {
    const byMethod = new Map(group.map((route) => [route.method as string, route]));
    app.all(path, (context) => answer(services, userOf, context, byMethod));
  }
  app.notFound((context) => answer(services, userOf, context, new Map()));
  return { fetch: (request, bindings = {}) => app.fetch(request, bindings) };
}

/** As `wholePath`, without a `.json` that says nothing. */
export const routedPath = (request: Request): string => withoutSuffix(wholePath(request), request.headers);

/** Decoded. Slashes at the end and doubled ones do not count, and every resource is also found without `/v1`. */
function wholePath(request: Request): string {
  const plain = getPath(request)
    .replace(/\/{2,}/g, '/')
    .replace(/\/$/, '');
  if (plain === '' || plain === '/v1') return plain === '' ? '/' : plain;
  return nodeFirst(plain.startsWith('/v1/') ? plain : `/v1${plain}`);
}

interface Exchange {
  readonly context: Context;
  readonly routes: ReadonlyMap<string, Route>;
  readonly userOf: Authentication['userOf'];
  /** With the user once that is known. */
  caller: Caller;
  /** Known once the version headers are read. */
  minor: number | undefined;
}

async function answer(
  services: Services,
  userOf: Authentication['userOf'],
  context: Context,
  routes: ReadonlyMap<string, Route>,
): Promise<Response> {
  const requestId = `req-${randomUUID()}`;
  const caller: Caller = { requestId, user: null };
  const exchange: Exchange = { context, routes, userOf, caller, minor: undefined };
  const started = services.clock.now();
  const { method, path } = context.req;
  let answered: Answer;
  try {
    answered = await dispatch(services, exchange);
  } catch (error) {
    answered = faultAnswer(error, services.log, requestId);
  }
  const { status, text } = answered;
  services.log[method === 'GET' ? 'debug' : 'info'](
    {
      request_id: requestId,
      user: exchange.caller.user,
      method,
      path,
      status,
      milliseconds: services.clock.now() - started,
    },
    'request',
  );
  return new Response(method === 'HEAD' ? null : text, {
    status,
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

const commonHeaders = ({ caller, minor }: Exchange) => ({
  'x-openstack-request-id': caller.requestId,
  'openstack-request-id': caller.requestId,
  ...VERSION_HEADERS,
  ...(minor !== undefined && { 'x-openstack-ironic-api-version': versionText(minor) }),
});

async function dispatch(services: Services, exchange: Exchange): Promise<Answer> {
  const { context, routes } = exchange;
  const { req } = context;
  if (req.method === 'OPTIONS') return { status: 200, text: null, headers: {} };
  const { pathname, origin: own } = new URL(req.url);
  refuseForeignPage(services.config.cors, { method: req.method, origin: req.header('origin'), own });
  if (pathname === '/healthcheck' && services.config.healthcheck.enabled)
    return healthAnswer(req.header('accept'));
  const user = await exchange.userOf(pathname, req.header('authorization'));
  exchange.caller = { ...exchange.caller, user };
  const minor = requestedMinor(
    req.header('openstack-api-version'),
    req.header('x-openstack-ironic-api-version'),
  );
  exchange.minor = minor;
  refuseOtherMedia(req.header('accept'));
  if (routes.size === 0) throw fault('NotFound', {});
  const route = routeFor(routes, { method: req.method, path: req.path, minor });
  const reply = await route.handler({
    services,
    caller: exchange.caller,
    minor,
    baseUrl: baseUrl(services.config, { url: req.url, header: (name) => req.header(name) }),
    path: req.path,
    parameters:
      wholePath(req.raw) === req.path ? req.param() : eitherReading(services, route.path, req.param()),
    ...(await readRequest(services, context, route, minor)),
  });
  return toAnswer(reply);
}

function refuseOtherMedia(accept: string | undefined): void {
  if (accept === undefined || /(^|,)\s*(\*\/\*|application\/(json|\*))\s*(;|,|$)/i.test(accept)) return;
  throw fault('MediaTypeNotAcceptable', { accept });
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly minor: number;
}

function routeFor(routes: ReadonlyMap<string, Route>, { method, path, minor }: Asked): Route {
  const found = routes.get(path === ROOT || (method === 'HEAD' && path === '/v1') ? 'GET' : method);
  const judged = found ?? hiddenRoute(routes, minor);
  if (judged !== undefined) refuseTooOld(judged, path, minor);
  if (found !== undefined) return found;
  throw fault('MethodNotAllowed', { method, path, allowed: [...routes.keys()].join(', ') });
}

/** The oldest route of a path that is not there in this version, whatever the method. */
function hiddenRoute(routes: ReadonlyMap<string, Route>, minor: number): Route | undefined {
  const byAge = [...routes.values()].toSorted((a, b) => a.since - b.since);
  return byAge.every(({ since, below = 404 }) => minor < since && below === 404) ? byAge[0] : undefined;
}

function refuseTooOld(route: Route, path: string, minor: number): void {
  if (minor >= route.since) return;
  if (route.below === 406) throw fault('VersionTooOld', { since: route.since });
  if (route.below === 405)
    throw fault('MethodNotAllowed', { method: route.method, path, allowed: `from API 1.${route.since}` });
  throw fault('VersionedNotFound', { path, since: route.since });
}

async function readRequest(
  services: Services,
  context: Context,
  route: Route,
  minor: number,
): Promise<Pick<ApiRequest, 'body' | 'given' | 'query'>> {
  const nothing = { query: {}, given: {}, body: undefined };
  const { body } = route;
  if (body === 'ignored') return nothing;
  const { req } = context;
  const query = queryOf(req.url);
  const bytes = await bodyOf(services, context, route);
  if (body === 'passthru') return { ...nothing, query: onceEach(query), body: parseJson(bytes) };
  if (body !== undefined && 'arguments' in body) {
    const sent = parseArguments(bytes, req.header('content-type') ?? '', query);
    return { ...nothing, given: takeArguments(sent, body.arguments, minor) };
  }
  const parameters = route.method === 'DELETE' ? withParametersOfBody(query, bytes) : query;
  return {
    ...nothing,
    query: parseQuery<Parameters>(parameters, route.query ?? {}, minor),
    ...(body !== undefined && { body: 'bytes' in body ? bytes : parseJson(bytes) }),
  };
}

function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start === -1 ? '' : url.slice(start + 1));
}

const NO_BYTES = new Uint8Array();

// Routes that take no body still cap what they are sent
async function bodyOf(services: Services, context: Context, route: Route): Promise<Uint8Array> {
  const { raw } = context.req;
  const withoutBody = raw.method === 'GET' || raw.method === 'HEAD';
  if (withoutBody && route.body !== 'passthru') return NO_BYTES;
  const { incoming = null } = context.env as Bindings;
  const { api } = services.config;
  const limit = route.limit?.(services) ?? {
    kibibytes: api.max_json_body_size,
    option: '[api] max_json_body_size',
  };
  const bytes = await readBytes(withoutBody ? { headers: raw.headers, body: incoming } : raw, limit);
  if (typeof route.body !== 'object' || !('bytes' in route.body))
    refuseTooDeep(bytes, api.max_json_body_depth);
  return bytes;
}

function refuseTooDeep(bytes: Uint8Array, limit: number): void {
  if (isDeeperThan(bytes, limit)) throw fault('BodyTooDeep', { limit });
}

function toAnswer(reply: Reply): Answer {
  const text = reply.json ?? (reply.body === undefined ? null : JSON.stringify(reply.body));
  return {
    status: reply.status,
    text,
    headers: {
      ...(text !== null && { 'content-type': 'application/json' }),
      // clients tell an answer without a body by its length and missing content type
      ...(text === null && reply.status !== 204 && { 'content-length': '0' }),
      ...(reply.location !== undefined && { location: reply.location }),
      ...(reply.retryRequestAfter !== undefined && {
        'retry-request-after': String(reply.retryRequestAfter),
      }),
    },
  };
}
