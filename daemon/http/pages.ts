// Pages for browsers: what a page's code gets of a visitor's request, and how it sends requests to the API.
import type { Context } from 'hono';
import type { Caller } from '../conductor/services.ts';
import { MAXIMUM_MINOR, versionText } from '../model/microversions.ts';
import type { Answer } from './answer.ts';
import type { Bindings, RequestMemory } from './request/request-memory.ts';
import type { Method } from './route.ts';

export interface ApiCall {
  readonly method: Method;
  readonly path: string;
  readonly body?: object;
}

export interface Visit {
  readonly request: Request;
  readonly url: URL;
  readonly caller: Caller;
  /** Resolves with the fields of the form in the body. */
  readonly form: () => Promise<URLSearchParams>;
  /** Sends a request to the API as the visitor: with the same login, checks, log and audit as any other. */
  readonly call: (call: ApiCall) => Promise<Response>;
}

export interface Pages {
  /** Whether the request is for a page and not for the API. */
  has(request: Request, url: URL): boolean;
  answer(visit: Visit): Answer | Promise<Answer>;
}

type Fetch = (request: Request, bindings: Bindings) => Response | Promise<Response>;

const FORM_LIMIT = { kibibytes: 256, option: 'the limit for forms of the pages' };
/** Headers of the visitor's own request that do not fit the request to the API. */
const NOT_PASSED_ON = ['transfer-encoding', 'origin', 'accept', 'x-openstack-ironic-api-version'];

export function visitOf(
  { req, env }: Context,
  {
    caller,
    memory,
    fetch,
  }: { readonly caller: Caller; readonly memory: RequestMemory; readonly fetch: Fetch },
): Visit {
  const url = new URL(req.url);
  const visitor = peerOf(env as Bindings);
  return {
    request: req.raw,
    url,
    caller,
    form: async () =>
      new URLSearchParams(Buffer.from(await memory.readBody(req.raw, FORM_LIMIT)).toString('utf8')),
    async call({ method, path, body }) {
      const headers = new Headers(req.raw.headers);
      for (const name of NOT_PASSED_ON) headers.delete(name);
      headers.set('content-type', 'application/json');
      headers.set('openstack-api-version', `baremetal ${versionText(MAXIMUM_MINOR)}`);
      const text = body === undefined ? undefined : JSON.stringify(body);
      // without this header, memory for a body of unknown length would be reserved up to the limit
      headers.set('content-length', String(Buffer.byteLength(text ?? '')));
      const sent = { method, headers, ...(text !== undefined && { body: text }) };
      return fetch(new Request(new URL(path, url), sent), { visitor });
    },
  };
}

/**
 * Returns the remote address of the connection; for a request that a page sends, of the visitor's connection. Undefined for a
 * Unix socket.
 */
export const peerOf = ({ incoming, visitor }: Bindings): string | undefined =>
  incoming?.socket.remoteAddress ?? visitor;
