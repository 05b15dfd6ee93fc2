// The HTTP application: takes requests in, and makes responses, log lines and audit records of what became of them.
import { randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { compress } from 'hono/compress';
import type { Services } from '../conductor/services.ts';
import type { AuditRecord } from '../lib/files/audit-file.ts';
import { activities } from '../lib/loop-watch/activity.ts';
import { MAXIMUM_MINOR, MINIMUM_MINOR, versionText } from '../model/microversions.ts';
import { type Answer, type Endpoint, faultAnswer } from './answer.ts';
import { auditDetails } from './audit.ts';
import type { Authentication } from './login/authenticate.ts';
import { publicPaths } from './login/route-access.ts';
import type { Pages } from './pages.ts';
import { clientAddress, crossOriginHeaders } from './request/arriving.ts';
import { type Bindings, peerOf } from './request/request-memory.ts';
import { RequestRates } from './request/request-rates.ts';
import type { ApiRequest, Route } from './route.ts';
import { routedPath } from './routing.ts';
import { type Arrived, dispatch, type Entrance, type Reached, stranger } from './stages.ts';

export interface App {
  readonly fetch: (request: Request, bindings?: Bindings) => Response | Promise<Response>;
}

export interface AppParts {
  readonly services: Services;
  readonly routes: readonly Route[];
  readonly authentication: Pick<Authentication, 'authenticate' | 'signIn'>;
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

const VERSION_HEADERS = {
  'x-openstack-ironic-api-minimum-version': versionText(MINIMUM_MINOR),
  'x-openstack-ironic-api-maximum-version': versionText(MAXIMUM_MINOR),
} as const;

export function createApp(parts: AppParts): App {
  const { routes, beforeApi, pages } = parts;
  const app = new Hono({ getPath: routedPath, strict: true });
  const site: Site = {
    ...parts,
    endpoints: new Map(beforeApi.map((endpoint) => [endpoint.path, endpoint])),
    rates: new RequestRates(parts.services.clock),
    fetch: (request, bindings) => app.fetch(request, bindings),
  };
  // The pages; `routedPath` puts every path below /v1. No page shows a secret beside text of a request, so that lengths give none away.
  app.use('/v1/ui/*', compress());
  const isPublic = publicPaths(routes);
  for (const [path, group] of Map.groupBy(routes, (route) => route.path)) {
    const found: Found = {
      routes: new Map(group.map((route) => [route.method as string, route])),
      isPublic: group.some((route) => route.public === true) ? isPublic : () => false,
      // browsers get a page at the root of the API
      pages: path === '/' ? pages : undefined,
    };
    app.all(path, (context) => answer(site, context, found));
  }
  app.notFound((context) => answer(site, context, { routes: new Map(), isPublic, pages }));
  return { fetch: (request, bindings = {}) => app.fetch(request, bindings) };
}

interface Site extends Entrance, Pick<AppParts, 'subjectOf' | 'answered'> {}

/** What the router knows of a path. */
interface Found extends Pick<Arrived, 'routes' | 'pages'> {
  /** Whether a path, as the client sent it, needs no login. */
  readonly isPublic: (pathname: string) => boolean;
}

async function answer(site: Site, context: Context, { routes, pages, isPublic }: Found): Promise<Response> {
  const { services } = site;
  const requestId = `req-${randomUUID()}`;
  const { method } = context.req;
  const path = loggedPath(context, routes);
  const address = clientAddress(services.config, peerOf(context.env as Bindings), (name) =>
    context.req.header(name),
  );
  const url = new URL(context.req.url);
  let reached: Reached = {
    context,
    routes,
    url,
    isPublic: isPublic(url.pathname),
    pages,
    caller: { requestId, ...stranger, address },
  };
  const arrived = reached;
  const started = services.clock.monotonic();
  let answered: Answer;
  try {
    answered = await activities.run({ request: `${method} ${path}`, request_id: requestId }, () =>
      dispatch(site, arrived, (stage) => {
        reached = stage;
        return stage;
      }),
    );
  } catch (error) {
    answered = faultAnswer(error, services.log, requestId);
  }
  const { status, content } = answered;
  const milliseconds = services.clock.monotonic() - started;
  reached.memory?.countAnswer(content);
  services.log[method === 'GET' ? 'debug' : 'info'](
    {
      request_id: requestId,
      user: reached.caller.user,
      client: address,
      method,
      path,
      status,
      milliseconds: Math.round(milliseconds),
    },
    'request',
  );
  site.answered({ method, route: declaredPath(site, arrived), status, milliseconds });
  audit(site, reached, status);
  const headers = new Headers({
    ...answered.headers,
    ...(status === 405 && { allow: [...routes.keys()].join(', ') }),
    ...commonHeaders(reached),
    ...crossOriginHeaders(services.config.cors, {
      origin: context.req.header('origin'),
      preflight: method === 'OPTIONS',
    }),
  });
  for (const cookie of answered.cookies ?? []) headers.append('set-cookie', cookie);
  // a Response cannot have status 101; the listener sends its own response when the connection becomes a WebSocket
  return new Response(await contentFor(method, content), { status: status === 101 ? 204 : status, headers });
}

/** Returns the path for the log. A path that contains a token is logged as its route declares it. */
function loggedPath({ req }: Context, routes: ReadonlyMap<string, Route>): string {
  const [route] = routes.values();
  return route?.path.includes('/:token') === true ? route.path : req.path;
}

function declaredPath({ endpoints }: Site, { context, routes }: Arrived): string | undefined {
  const [route] = routes.values();
  return route?.path ?? endpoints.get(context.req.path)?.path;
}

async function contentFor(method: string, content: Answer['content']): Promise<Answer['content']> {
  if (method !== 'HEAD') return content;
  if (content instanceof ReadableStream) await content.cancel();
  return null;
}

/**
 * Whether requests to the route are recorded: those that may change something, that attach to a console, or that show a secret, unless
 * the route is `unaudited`.
 */
const isAudited = ({ method, media, secret, unaudited }: Route): boolean =>
  (method !== 'GET' || media === 'websocket' || secret === true) && unaudited !== true;

function audit(
  { services, subjectOf }: Site,
  { caller, context, route, request, reply }: Reached,
  status: number,
): void {
  if (route === undefined || request === undefined || !isAudited(route)) return;
  const { audit: file, clock, log } = services;
  const { requestId: request_id, user, role, address: client } = caller;
  const { method, path } = context.req;
  const time = new Date(clock.now()).toISOString();
  try {
    const details = { ...subjectOf(request), ...auditDetails(route, request, reply) };
    file.append({ time, request_id, user, role, client, method, path, status, ...details });
  } catch (error) {
    log.error({ error, request_id }, 'cannot write the audit file');
  }
}

const commonHeaders = ({ caller, minor }: Reached) => ({
  'x-openstack-request-id': caller.requestId,
  'openstack-request-id': caller.requestId,
  ...VERSION_HEADERS,
  ...(minor !== undefined && { 'x-openstack-ironic-api-version': versionText(minor) }),
});
