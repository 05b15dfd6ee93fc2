// A route as data: the form of its requests and answers, the version that introduced it, and its handler.
import type { Services } from '../conductor/services.ts';
import type { Caller } from '../model/caller.ts';
import type { Role } from '../model/roles.ts';
import type { Release } from '../lib/limits/memory-budget.ts';
import type { Schema } from '../lib/json/typed-schema.ts';
import type { SocketService } from '../lib/socket-service.ts';
import type { Parameters, Parsed, Taken } from './parameters.ts';
import type { Rate } from '../lib/limits/rates.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * How the body is read. `parameters`: named values from the query and from a body that is a JSON object or a form. `json`: a JSON
 * document, which the schema describes and the handler checks. `bytes`: a document that the handler gets unparsed. `passthru`: a
 * JSON document, even in a GET request; the query may have any parameters, each once. `ignored`: neither body nor query is read.
 * `streamed`: bytes that the handler reads piece by piece, after the caller's role has been checked.
 */
export type Body<A extends Parameters = Parameters> =
  | { readonly parameters: A }
  | { readonly json: Schema }
  | {
      readonly bytes: Schema;
      /** Called before the body is read. Throws when the request cannot be accepted now. */
      readonly admits: (request: Pick<ApiRequest, 'services' | 'minor' | 'query'>) => void;
    }
  | { readonly streamed: Schema }
  | 'passthru'
  | 'ignored';

/** The JSON Schemas of answers by status; null for no body. */
export type Answers = Readonly<Partial<Record<Reply['status'], Schema | null>>>;

export interface ApiRequest<Q extends Parameters = Parameters, A extends Parameters = Parameters> {
  readonly services: Services;
  readonly caller: Caller;
  /** The minor number of the request's API version. */
  readonly minor: number;
  /** The start of all links: scheme, host, port, and the path prefix of a proxy or of [api] public_endpoint. */
  readonly baseUrl: string;
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Returns a header of the request by its name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** Returns the record that a path parameter names. `find` is called once per parameter and request. Throws what `find` throws. */
  readonly named: <R>(
    parameter: string,
    find: (services: Services, identifier: string, minor: number) => R,
  ) => R;
  readonly query: Parsed<Q>;
  /** The checked parameters, if the route declares its body as `parameters`. */
  readonly given: Taken<A>;
  /** `json`, `passthru`: the parsed value; undefined when the body is empty. `bytes`: SharedBytes. `streamed`: BodyStream. */
  readonly body: unknown;
  /** Counts the body as occupied memory even after the answer, until the returned function is called. */
  readonly keepBody: () => Release;
}

export interface Reply {
  readonly status: 101 | 200 | 201 | 202 | 204;
  readonly body?: unknown;
  /** JSON text to send unchanged, instead of `body`. */
  readonly json?: string;
  /** Server-sent events, instead of `body`. */
  readonly stream?: ReadableStream<Uint8Array>;
  /** Serves the WebSocket that the connection becomes; only with status 101. */
  readonly socket?: SocketService;
  readonly location?: string;
  /** After this many seconds the client should ask again; -1: unknown. */
  readonly retryRequestAfter?: number;
}

export interface Route<Q extends Parameters = Parameters, A extends Parameters = Parameters> {
  readonly method: Method;
  /** `/`, `/v1` or a path below /v1; variable segments are written `:name`. */
  readonly path: string;
  /** The minor API version that introduced the route. */
  readonly since: number;
  /** Status for requests of older versions; 404 unless given. */
  readonly below?: 404 | 405 | 406;
  /** The media type of answers other than errors; `websocket` if the answer is a WebSocket. JSON unless given. */
  readonly media?: 'text/event-stream' | 'websocket';
  /** Needs no login; see `publicPaths`. */
  readonly public?: true;
  /** How often one network may send such requests; see RequestRates. Unlimited unless given. */
  readonly rate?: Rate;
  /**
   * Requests to this route are not recorded in the audit file: anyone can send so many of them that their records would displace
   * those of operators.
   */
  readonly unaudited?: true;
  /** The route is about a secret: only admins may use it, and a GET is audited too. */
  readonly secret?: true;
  /** The role that a request to the route needs; without it, what the method and the path say. The handler may refuse more. */
  readonly needs?: Role;
  /** The table of the records that the path names; their names may end in `.json`. */
  readonly namedIn?: (services: Services) => NamedTable;
  readonly query?: Q;
  /** The query parameter that names the record in place of the path parameter `of`. */
  readonly identifiedBy?: { readonly argument: keyof Q & string; readonly of: string };
  readonly body?: Body<A>;
  readonly answers: Answers;
  /** Largest body in KiB; the option that sets it is named in the error. */
  readonly limit?: (services: Services) => { readonly kibibytes: number; readonly option: string };
  readonly handler: (request: ApiRequest<Q, A>) => Reply | Promise<Reply>;
}

export interface NamedTable {
  get(uuid: string): object | undefined;
  findBy(column: 'name', value: string): object | undefined;
}

/** Returns `item`, a route to one record, at the path of its list: the query parameter `argument` names the record. */
export function byArgument(item: Route, argument: string): Route {
  const [path = '', of = ''] = item.path.split('/:');
  return {
    ...item,
    path,
    query: { [argument]: { kind: 'text', required: true } },
    identifiedBy: { argument, of },
  };
}

/** Types the handler by its route's parameters, and lets differently typed routes share one list. */
export function route<Q extends Parameters, A extends Parameters>(declared: Route<Q, A>): Route {
  return declared as unknown as Route;
}
