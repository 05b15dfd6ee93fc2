// Pages for browsers: what a page's code gets of a visitor's request, and how it sends requests to the API.
import type { Context } from 'hono';
import type { Caller } from '../model/caller.ts';
import { MAXIMUM_MINOR, versionText } from '../model/microversions.ts';
import type { Answer } from './answer.ts';
import { type Bindings, peerOf, type RequestMemory } from './request/request-memory.ts';
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
  /** The URL under which the visitor's browser reaches the daemon, without a path and a trailing slash. */
  readonly origin: string;
  /** Resolves with the fields of the form in the body. */
  readonly form: () => Promise<URLSearchParams>;
  /** Sends a request to the API as the visitor: with the same role, checks, log and audit as any other. */
  readonly call: (call: ApiCall) => Promise<Response>;
}

export interface Pages {
  /** Whether the request is for a page and not for the API. */
  has(request: Request, url: URL): boolean;
  /** Whether the page needs no login: people need it to sign in. */
  isOpen(url: URL): boolean;
  /** Returns the path of the page where a visitor signs in who asks for a page or sends a form; undefined for a program. */
  signInAt(request: Request, url: URL): string | undefined;
  answer(visit: Visit): Answer | Promise<Answer>;
}

type Fetch = (request: Request, bindings: Bindings) => Response | Promise<Response>;

const FORM_LIMIT = { kibibytes: 256, option: 'the limit for forms of the pages' };
/** Headers of the visitor's own request that do not fit the request to the API. */
const NOT_PASSED_ON = [
  'transfer-encoding',
  'origin',
  'accept',
  'x-openstack-ironic-api-version',
  'authorization',
  'cookie',
];

interface VisitParts extends Pick<Visit, 'caller' | 'origin'> {
  readonly memory: RequestMemory;
  readonly fetch: Fetch;
}

export function visitOf({ req, env }: Context, { caller, origin, memory, fetch }: VisitParts): Visit {
  const url = new URL(req.url);
  const { user, role, session } = caller;
  const visitor = peerOf(env as Bindings);
  const visitedBy = { user, role, ...(session !== undefined && { session }) };
  return {
    request: req.raw,
    url,
    caller,
    origin,
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
      return fetch(new Request(new URL(path, url), sent), { visitor, visitedBy });
    },
  };
}
