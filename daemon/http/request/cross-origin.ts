// CORS: which pages of other origins may use the API from a browser.
import type { Config } from '../../config/sections/core-sections.ts';
import { fault } from '../../model/faults.ts';

const METHODS = 'GET, PUT, POST, DELETE, PATCH';
const VERSION_HEADERS = [
  'X-OpenStack-Ironic-API-Version',
  'X-OpenStack-Ironic-API-Minimum-Version',
  'X-OpenStack-Ironic-API-Maximum-Version',
].join(', ');
const REQUEST_HEADERS = `Authorization, Content-Type, OpenStack-API-Version, X-Auth-Token, ${VERSION_HEADERS}`;

/**
 * Throws ForeignOrigin for a write, or a WebSocket, that comes from a page whose origin is neither `own`, the origin of the API,
 * nor an allowed one. Browsers let any page send such requests to the API, and name the page's origin in them; other clients
 * name no origin.
 */
export function refuseForeignPage(
  cors: Config['cors'],
  {
    method,
    isSocket,
    origin,
    own,
  }: {
    readonly method: string;
    readonly isSocket: boolean;
    readonly origin: string | undefined;
    readonly own: string;
  },
): void {
  const isRead = (method === 'GET' || method === 'HEAD') && !isSocket;
  if (origin === undefined || isRead) return;
  if (origin === own || isAllowed(cors, origin)) return;
  throw fault('ForeignOrigin', { origin: JSON.stringify(origin.slice(0, 100)) });
}

/** Returns the CORS headers of the answer to a request from `origin`. `preflight`: whether the request is a preflight request. */
export function crossOriginHeaders(
  cors: Config['cors'],
  { origin, preflight }: { readonly origin: string | undefined; readonly preflight: boolean },
): Readonly<Record<string, string>> {
  if (cors.allowed_origin.length === 0) return {};
  const anyOrigin = cors.allowed_origin.includes('*');
  const vary: Readonly<Record<string, string>> = anyOrigin ? {} : { vary: 'Origin' };
  if (origin === undefined || !isAllowed(cors, origin)) return vary;
  return {
    ...vary,
    'access-control-allow-origin': anyOrigin ? '*' : origin,
    // browsers refuse credentials when any origin is allowed
    ...(cors.allow_credentials && !anyOrigin && { 'access-control-allow-credentials': 'true' }),
    ...(preflight
      ? {
          'access-control-allow-methods': METHODS,
          'access-control-allow-headers': REQUEST_HEADERS,
          'access-control-max-age': String(cors.max_age),
        }
      : { 'access-control-expose-headers': VERSION_HEADERS }),
  };
}

const isAllowed = ({ allowed_origin: allowed }: Config['cors'], origin: string): boolean =>
  allowed.includes('*') || allowed.includes(origin);
