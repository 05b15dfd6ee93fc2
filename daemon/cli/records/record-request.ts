// Requests about one record, other than those that read, write or delete the record itself.
import type { JsonObject } from '../../model/json.ts';

export interface RecordRequest {
  readonly about: string;
  /** The names of the arguments after the record. */
  readonly takes: readonly string[];
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path of the request, relative to the path of the record. */
  readonly path: (given: readonly string[]) => string;
  readonly body?: (given: readonly string[]) => JsonObject;
  /**
   * The key of the reply whose value is shown; without it, the whole reply is shown. JSON and YAML show the whole reply unless
   * --column or --sort-column is given.
   */
  readonly content?: (given: readonly string[]) => string;
}

export const readingRequest = (about: string, path: string, content?: string): RecordRequest => ({
  about,
  takes: [],
  method: 'GET',
  path: () => path,
  ...(content !== undefined && { content: () => content }),
});

export const put = (about: string, path: string, body: JsonObject): RecordRequest => ({
  about,
  takes: [],
  method: 'PUT',
  path: () => path,
  body: () => body,
});

export const encoded = ([first = '']: readonly string[]): string => encodeURIComponent(first);

/** The requests about the traits of a node or runbook. The key is the words of the command after the kind of record. */
export const traitRequests = {
  'trait list': readingRequest('list the traits', 'traits', 'traits'),
  'trait add': {
    about: 'add a trait',
    takes: ['TRAIT'],
    method: 'PUT',
    path: (given) => `traits/${encoded(given)}`,
  },
  'trait remove': {
    about: 'remove a trait',
    takes: ['TRAIT'],
    method: 'DELETE',
    path: (given) => `traits/${encoded(given)}`,
  },
} as const satisfies Readonly<Record<string, RecordRequest>>;
