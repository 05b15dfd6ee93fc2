// The same requests to two servers, and what differs in their answers.
import { type Answer, type Difference, differencesOf, type Extent } from './compare.ts';
import {
  ask,
  asksUntil,
  clear,
  type Document,
  isIdle,
  json,
  type Method,
  type RequestOptions,
  type Sent,
  sentBy,
  undo,
  versionOf,
} from './exchange.ts';

/** A request without `version` is sent with the version of the conversation. */
export interface Options extends RequestOptions {
  readonly extent?: Extent;
}

export interface Found extends Difference {
  readonly method: Method;
  readonly path: string;
  readonly body: string;
  /** The API version as it was sent, such as `1.31` or a malformed text; `none` if no version was sent. */
  readonly version: string;
}

export interface Conversation {
  /** The minor number of the newest API version that both servers support. */
  readonly maximum: number;
  /** The versions in `minors` that both servers support. */
  readonly versions: (...minors: readonly number[]) => readonly number[];
  /** The same conversation at another version. */
  readonly at: (minor: number) => Conversation;
  readonly send: (method: Method, path: string, options?: Options) => Promise<readonly Answer[]>;
  /** Sends requests such as `GET /v1/nodes` one after the other. */
  readonly sendAll: (...requests: readonly `${Method} ${string}`[]) => Promise<void>;
  /** Follows the links of a list to its end; each side follows its own links. */
  readonly sendPages: (path: string) => Promise<void>;
  /** Sends a request without comparing the answers, to prepare or remove something. */
  readonly quietly: (method: Method, path: string, body?: unknown) => Promise<void>;
  /** Deletes what was created: at the Location of the answer, or else at `path`. */
  readonly undo: (answers: readonly Answer[], path: string) => Promise<void>;
  /** Waits until each side answers a GET of `path` with a document for which `is` holds, or with another status than 200. */
  readonly until: (path: string, is: (document: Document) => boolean) => Promise<void>;
  /** Waits until no side works on the node. */
  readonly settled: (node: string) => Promise<void>;
  /** Deletes everything on both sides. */
  readonly clear: () => Promise<void>;
}

export interface Transcript {
  readonly requests: () => number;
  readonly found: readonly Found[];
  readonly conversation: Conversation;
}

/** `theirs` and `ours`: the URLs of the servers. */
export function converse(theirs: string, ours: string, maximum: number): Transcript {
  const found: Found[] = [];
  const count = { requests: 0 };
  const both = (left: Sent, right = left) => Promise.all([ask(theirs, left), ask(ours, right)]);
  const note = (sent: Sent, [left, right]: readonly [Answer, Answer], extent?: Extent) => {
    count.requests += 1;
    const { method, path, body = '' } = sent;
    for (const difference of differencesOf(left, right, extent))
      found.push({ ...difference, method, path, body, version: versionOf(sent) });
  };
  const until: Conversation['until'] = (path, is) =>
    asksUntil(() => both(sentBy('GET', path, { version: maximum })), is);
  const at = (version: number): Conversation => {
    const send: Conversation['send'] = async (method, path, options = {}) => {
      const sent = sentBy(method, path, { version, ...options });
      const answers = await both(sent);
      note(sent, answers, options.extent);
      return answers;
    };
    return {
      maximum,
      versions: (...minors) => minors.filter((one) => one <= maximum),
      at,
      send,
      async sendAll(...requests) {
        for (const request of requests) {
          const [method, ...path] = request.split(' ');
          await send(method as Method, path.join(' '));
        }
      },
      async sendPages(path) {
        let pages: readonly (string | undefined)[] = [path, path];
        for (;;) {
          const [left, right] = pages;
          if (left === undefined || right === undefined) return;
          const sent = sentBy('GET', left, { version });
          const answers = await both(sent, sentBy('GET', right, { version }));
          note({ ...sent, path }, answers);
          pages = answers.map(nextOf);
        }
      },
      async quietly(method, path, body) {
        await both(sentBy(method, path, { version: maximum, body }));
      },
      async undo(answers, path) {
        await Promise.all(answers.map((answer) => undo(answer, { path, version: maximum })));
      },
      until,
      settled: (node) => until(`/v1/nodes/${node}`, isIdle),
      async clear() {
        await Promise.all([clear(theirs), clear(ours)]);
      },
    };
  };
  return { requests: () => count.requests, found, conversation: at(maximum) };
}

function nextOf(answer: Answer): string | undefined {
  const { next } = json(answer);
  return typeof next === 'string' ? next.replace(answer.base, '') : undefined;
}

/** A UUID that both sides are given. */
export const uuid = (number: number): string =>
  `00000000-0000-4000-8000-${number.toString().padStart(12, '0')}`;
