// The HTTP application: dispatches requests to routes, and handles paths, versions, bodies and faults.
import { randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { getPath } from 'hono/utils/url';
import type { Caller, Services } from '../conductor/services.ts';
import { during } from '../lib/loop-watch/activity.ts';
import { fault } from '../model/faults.ts';
import { MAXIMUM_MINOR, MINIMUM_MINOR, requestedMinor, versionText } from '../model/microversions.ts';
import { auditDetails, type AuditDetails, createdBy } from './audit.ts';
import { type Authentication, isPublic } from './login/authenticate.ts';
import { baseUrl } from './request/base-url.ts';
import { mediaType } from './request/body.ts';
import { clientAddress } from './request/client-address.ts';
import { crossOriginHeaders, refuseForeignPage } from './request/cross-origin.ts';
import { type Answer, faultAnswer } from './fault-response.ts';
import { healthAnswer } from './health.ts';
import { eitherReading, withoutSuffix } from './json-suffix.ts';
import { nodeFirst } from './node-first.ts';
import { readRequest } from './request/read-request.ts';
import { refuseForeignHost } from './request/refuse-foreign-host.ts';
import { type Bindings, RequestMemory } from './request/request-memory.ts';
import type { ApiRequest, Reply, Route } from './route.ts';

export interface App {
  readonly fetch: (request: Request, bindings?: Bindings) => Response | Promise<Response>;
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

/** Returns `wholePath` without a meaningless `.json` suffix. */
export const routedPath = (request: Request): string => withoutSuffix(wholePath(request), request.headers);

/** Returns the decoded path without trailing and doubled slashes, and with `/v1` where the request left it out. */
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
  /** Includes the user once authenticated. */
  caller: Caller;
  /** Set once the version headers are read. */
  minor: number | undefined;
  /** Set once the caller is authenticated. */
  memory?: RequestMemory;
  /** Set before the handler runs, if the request is audited. */
  audited?: AuditDetails | undefined;
}

async function answer(
  services: Services,
  userOf: Authentication['userOf'],
  context: Context,
  routes: ReadonlyMap<string, Route>,
): Promise<Response> {
  const requestId = `req-${randomUUID()}`;
  const { method, path } = context.req;
  const { incoming } = context.env as Bindings;
  const address = clientAddress(services.config, incoming?.socket.remoteAddress, (name) =>
    context.req.header(name),
  );
  const caller: Caller = { requestId, user: null, address };
  const exchange: Exchange = { context, routes, userOf, caller, minor: undefined };
  const started = services.clock.monotonic();
  let answered: Answer;
  try {
    answered = await during({ request: `${method} ${path}`, request_id: requestId }, () =>
      dispatch(services, exchange),
    );
  } catch (error) {
    answered = faultAnswer(error, services.log, requestId);
  }
  const { status, text } = answered;
  exchange.memory?.answered(text);
  services.log[method === 'GET' ? 'debug' : 'info'](
    {
      request_id: requestId,
      user: exchange.caller.user,
      client: address,
      method,
      path,
      status,
      milliseconds: Math.round(services.clock.monotonic() - started),
    },
    'request',
  );
  audit(services, exchange, status);
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

function audit({ audit: file, clock, log }: Services, exchange: Exchange, status: number): void {
  if (exchange.audited === undefined) return;
  const { requestId: request_id, user, address: client } = exchange.caller;
  const { method, path } = exchange.context.req;
  const time = new Date(clock.now()).toISOString();
  try {
    file.append({ time, request_id, user, client, method, path, status, ...exchange.audited });
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

async function dispatch(services: Services, exchange: Exchange): Promise<Answer> {
  const { context, routes } = exchange;
  const { req } = context;
  const url = new URL(req.url);
  const { pathname, origin: own } = url;
  refuseForeignHost(services.config, url, (context.env as Bindings).incoming?.rawHeaders);
  if (req.method === 'OPTIONS') return { status: 200, text: null, headers: {} };
  refuseForeignPage(services.config.cors, { method: req.method, origin: req.header('origin'), own });
  if (pathname === '/healthcheck' && services.config.healthcheck.enabled)
    return healthAnswer(req.header('accept'));
  const memory = await admit(services, exchange, pathname);
  const minor = requestedMinor(
    req.header('openstack-api-version'),
    req.header('x-openstack-ironic-api-version'),
  );
  exchange.minor = minor;
  refuseOtherMedia(req.header('accept'));
  if (routes.size === 0) throw fault('NotFound', {});
  const route = routeFor(routes, { method: req.method, path: req.path, minor });
  const request: ApiRequest = {
    services,
    caller: exchange.caller,
    minor,
    baseUrl: baseUrl(services.config, { url: req.url, header: (name) => req.header(name) }),
    path: req.path,
    parameters:
      wholePath(req.raw) === req.path ? req.param() : eitherReading(services, route.path, req.param()),
    keepBody: () => memory.keepBody(),
    ...(await readRequest(services, route, { request: req.raw, memory, minor })),
  };
  exchange.audited = auditDetails(route, request);
  const reply = await route.handler(request);
  if (exchange.audited !== undefined) exchange.audited = { ...exchange.audited, ...createdBy(reply) };
  return toAnswer(reply);
}

/** Authenticates the caller and returns the request's memory account. Rejects with login faults or Overloaded. */
async function admit(services: Services, exchange: Exchange, pathname: string): Promise<RequestMemory> {
  const { context, caller } = exchange;
  const bindings = context.env as Bindings;
  const peer = bindings.incoming?.socket.remoteAddress ?? 'local';
  const authorization = context.req.header('authorization');
  const user = await exchange.userOf({ pathname, authorization, peer, address: caller.address });
  exchange.caller = { ...caller, user };
  const share = user === null && isPublic(pathname) ? 'strangers' : 'operators';
  exchange.memory = new RequestMemory(services, { peer, share }, bindings);
  return exchange.memory;
}

const ACCEPTABLE: ReadonlySet<string> = new Set(['*/*', 'application/json', 'application/*']);

function refuseOtherMedia(accept: string | undefined): void {
  if (accept === undefined || accept.split(',').some((range) => ACCEPTABLE.has(mediaType(range)))) return;
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

/** Returns the oldest route, of any method, of a path that this version hides behind a 404. */
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

function toAnswer(reply: Reply): Answer {
  const text = reply.json ?? (reply.body === undefined ? null : JSON.stringify(reply.body));
  return {
    status: reply.status,
    text,
    headers: {
      ...(text !== null && { 'content-type': 'application/json' }),
      // clients recognise an answer without a body by its length and missing content type
      ...(text === null && reply.status !== 204 && { 'content-length': '0' }),
      ...(reply.location !== undefined && { location: reply.location }),
      ...(reply.retryRequestAfter !== undefined && {
        'retry-request-after': String(reply.retryRequestAfter),
      }),
    },
  };
}
