// A route as data: what a request must look like, since which version, and what answers it.
import type { Caller, Services } from '../conductor/services.ts';
import type { Release } from '../lib/memory-budget.ts';
import type { Schema } from '../lib/typed-schema.ts';
import type { Arguments, Taken } from './arguments.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Parameter {
  readonly kind: 'text' | 'flag' | 'integer' | 'list' | 'uuid' | 'mac';
  /** Minor of the API version that introduced it; older requests get `tooOld` (406 unless said otherwise). */
  readonly since?: number;
  readonly tooOld?: 400 | 406;
  /** What a text, or each item of a list, may be. */
  readonly values?: readonly string[];
}
export type Parameters = Readonly<Record<string, Parameter>>;

interface Kinds {
  readonly text: string;
  readonly flag: boolean;
  readonly integer: number;
  readonly list: readonly string[];
  readonly uuid: string;
  readonly mac: string;
}
type ValueOf<P extends Parameter> = P extends { kind: 'text'; values: readonly (infer V)[] }
  ? V
  : P extends { kind: 'list'; values: readonly (infer V)[] }
    ? readonly V[]
    : Kinds[P['kind']];
export type Parsed<P extends Parameters> = { readonly [K in keyof P]?: ValueOf<P[K]> };

/**
 * How the body is read. `arguments`: named arguments from a JSON object, a form and the query. `json`: a document of
 * that schema, which the handler checks. `bytes`: the same unparsed. `passthru`: a JSON document, of GET too, and the
 * query as it is. `ignored`: neither body nor query matters.
 */
export type Body<A extends Arguments = Arguments> =
  | { readonly arguments: A }
  | { readonly json: Schema }
  | {
      readonly bytes: Schema;
      /** Throws when nobody may send this now; the body is not read then. */
      readonly admits: (request: Pick<ApiRequest, 'services' | 'minor' | 'query'>) => void;
    }
  | 'passthru'
  | 'ignored';

/** What answers look like by status; null where there is no body. */
export type Answers = Readonly<Partial<Record<Reply['status'], Schema | null>>>;

export interface ApiRequest<Q extends Parameters = Parameters, A extends Arguments = Arguments> {
  readonly services: Services;
  readonly caller: Caller;
  /** Minor of the API version in force. */
  readonly minor: number;
  /** Scheme, host and port that links begin with. */
  readonly baseUrl: string;
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Parsed<Q>;
  /** The arguments of a body that has such, checked. */
  readonly given: Taken<A>;
  /** `json`, `passthru`: the parsed value, undefined when empty. `bytes`: SharedBytes. */
  readonly body: unknown;
  /** The body stays counted as the request's memory after the answer, until the result is called. */
  readonly keepBody: () => Release;
}

export interface Reply {
  readonly status: 200 | 201 | 202 | 204;
  readonly body?: unknown;
  /** JSON text that is sent as it is, instead of `body`. */
  readonly json?: string;
  readonly location?: string;
  /** Seconds after which what is not known yet may be asked for again; -1: nobody can say. */
  readonly retryRequestAfter?: number;
}

export interface Route<Q extends Parameters = Parameters, A extends Arguments = Arguments> {
  readonly method: Method;
  /** With `:name` for variable segments; always below /v1. */
  readonly path: string;
  /** Minor of the API version that introduced it. */
  readonly since: number;
  /** What an older request gets. */
  readonly below?: 404 | 405 | 406;
  readonly query?: Q;
  readonly body?: Body<A>;
  readonly answers: Answers;
  /** Largest body in KiB; the option that sets it is named in the error. */
  readonly limit?: (services: Services) => { readonly kibibytes: number; readonly option: string };
  readonly handler: (request: ApiRequest<Q, A>) => Reply | Promise<Reply>;
}

/** Declares a route with its parameters and arguments typed; routes of different ones then share one list. */
export function route<Q extends Parameters, A extends Arguments>(declared: Route<Q, A>): Route {
  return declared as unknown as Route;
}
