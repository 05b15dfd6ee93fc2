// Sends requests to one BMC within a conversation, repeats those that are safe to repeat, and turns refusals into faults.
import {
  type Fault,
  HttpFailure,
  type HttpReply,
  type JsonObject,
  jsonObjectIn,
  type Task,
} from '#plugin-api';
import {
  type BmcSession,
  hasLostSession,
  type Limits,
  type SessionRequest,
  type Upload,
} from './bmc-session.ts';
import { changedBy } from './changed-by.ts';
import type { BmcConnection } from './connection.ts';
import { ifMatch, nextAttempt } from './etags.ts';
import { LOST, mayBeDone, refusalOf, refused, refusedWith, unanswered } from './failures.ts';
import { textIn } from './fields.ts';
import type { Learnt } from './learnt.ts';
import { Patience, type Sending, WEAKNESS_MILLISECONDS, WEAKNESS_PAUSE_MILLISECONDS } from './patience.ts';

export { refusalOf } from './failures.ts';

/** What all requests of one operation share. */
export interface Conversation {
  readonly task: Task;
  readonly connection: BmcConnection;
  readonly session: BmcSession;
  readonly learnt: Learnt;
  /** The operation as messages name it, such as `Reading the power state`. */
  readonly operation: string;
  readonly signal: AbortSignal;
  /** The time limit of each request. */
  readonly timeoutSeconds: number;
  /** When the conversation must end, as the task's clock counts `monotonic`. */
  readonly until: number;
  readonly attempts: number;
}

export interface BmcAnswer {
  readonly status: number;
  /** The JSON object in the answer; empty when the body is not a JSON object. */
  readonly body: JsonObject;
  readonly isJson: boolean;
  /** The path of the created resource, or of the task that carries out the request. */
  readonly location: string | undefined;
  readonly headers: HttpReply['headers'];
}

/** How many times a change is sent, if it is unknown whether it was made. */
const CHANGE_TRIES = 3;
/** Stands for the lost answer to a change that was made. */
const NO_ANSWER: BmcAnswer = { status: 200, body: {}, isJson: false, location: undefined, headers: {} };
/** How long the BMC may take to answer the simplest request, which shows whether it answers at all. */
const PROBE_SECONDS = 10;

export class RedfishClient {
  /** When requests are sent again. */
  protected readonly patience: Patience;
  readonly #conversation: Conversation;

  constructor(conversation: Conversation) {
    const { task, until, attempts, learnt } = conversation;
    this.#conversation = conversation;
    this.patience = new Patience({ clock: task.clock, until, attempts, broken: learnt.broken });
  }

  /**
   * Resolves to the resource. `type`: its type in the schema of Redfish, without version. Throws BmcFailure, BmcRefused, BmcNotReady
   * or BmcCredentialsRefused.
   */
  async get(path: string, type = ''): Promise<JsonObject> {
    const { status, body } = await this.read(path);
    const shown = textIn(body['@odata.type']);
    const isResource = shown !== undefined || textIn(body['@odata.id']) !== undefined;
    if (!isResource && status !== 202)
      throw this.useless(status, `${path} is no Redfish resource: it has neither @odata.id nor @odata.type`);
    if (shown?.includes(type) === false) throw this.useless(status, `${path} is no ${type} but ${shown}`);
    return body;
  }

  /** Like `get`, for what need not be a resource, such as the monitor of a task. With status 202 or 204 there may be no JSON. */
  async read(path: string): Promise<BmcAnswer> {
    const { learnt, task } = this.#conversation;
    for (let tries = 1; ; tries += 1) {
      const reply = await this.#reply({ method: 'GET', path });
      const answer = this.#answerIn(reply);
      if (answer.isJson || reply.status === 202 || reply.status === 204) {
        learnt.rememberEtag(path, etagIn(answer));
        return answer;
      }
      const seconds = this.patience.secondsAfterNonsense(tries);
      if (seconds === undefined) throw this.useless(reply.status, 'its answer is not a JSON object');
      await task.clock.sleep(seconds * 1000);
    }
  }

  /** Resolves to undefined when nothing exists at `path`. Throws like `get`. */
  async find(path: string, type = ''): Promise<JsonObject | undefined> {
    try {
      return await this.get(path, type);
    } catch (error) {
      if (refusalOf(error)?.status === 404) return undefined;
      throw error;
    }
  }

  /**
   * Sends the ETag of the last reading as If-Match, unless no ETag is known or the BMC accepts none. When the BMC refuses the ETag,
   * reads the resource again and repeats the request. When it is unknown whether the change was made, reads the resource, and repeats
   * the request only if the resource does not show the change. Throws like `get`.
   */
  async patch(path: string, body: JsonObject): Promise<BmcAnswer> {
    const answer = await this.insist(
      () => this.patchOnce(path, body),
      async () => changedBy(body, await this.get(path)),
    );
    return answer ?? NO_ANSWER;
  }

  /** Like `patch`, but does not send the change again when it is unknown whether it was made. */
  async patchOnce(path: string, body: JsonObject): Promise<BmcAnswer> {
    return this.#done({ method: 'PATCH', path }, await this.#matched(path, body));
  }

  /**
   * Makes a change with `send`. When it is unknown whether the change was made, asks `isMade`; if it was, resolves to undefined, and
   * otherwise sends it again, a few times at most. Throws what `send` throws.
   */
  async insist<T>(send: () => Promise<T>, isMade: () => Promise<boolean>): Promise<T | undefined> {
    const { clock } = this.#conversation.task;
    const until = clock.monotonic() + WEAKNESS_MILLISECONDS;
    for (let tries = 1; ; tries += 1) {
      try {
        return await send();
      } catch (error) {
        if (!mayBeDone(error)) throw error;
        await clock.sleep(WEAKNESS_PAUSE_MILLISECONDS);
        const answer = await isMade().catch(() => undefined);
        if (answer === true) return undefined;
        if (answer === undefined || tries === CHANGE_TRIES || clock.monotonic() >= until) throw error;
      }
    }
  }

  /**
   * Does not send the request again when the BMC may have carried it out: the caller must then read whether the request took effect.
   * Sends it again only after the BMC has said that it was not ready. Throws like `get`.
   */
  post(path: string, body?: JsonObject): Promise<BmcAnswer> {
    return this.#change({ method: 'POST', path, ...(body && { body }) });
  }

  /** Like `post`, with a file as the body. */
  upload(path: string, upload: Upload): Promise<BmcAnswer> {
    return this.#change({ method: 'POST', path, upload });
  }

  /** Like `post`. */
  delete(path: string, body?: JsonObject): Promise<BmcAnswer> {
    return this.#change({ method: 'DELETE', path, ...(body && { body }) });
  }

  /** Sends a PATCH with the form of If-Match that the BMC accepts. Resolves to the BMC's answer, which can have any status. */
  async #matched(path: string, body: JsonObject): Promise<HttpReply> {
    const { learnt } = this.#conversation;
    let attempt = { habit: learnt.matchHabit, isFresh: false };
    for (;;) {
      if (attempt.isFresh) await this.get(path);
      const match = ifMatch(learnt.etagOf(path), attempt.habit);
      const headers = match === undefined ? {} : { 'if-match': match };
      const reply = await this.#reply({ method: 'PATCH', path, body, headers });
      learnt.forgetEtag(path);
      if (reply.status < 300) learnt.matchHabit = attempt.habit;
      if (reply.status === 400 && match !== undefined) return this.#unmatched(path, body, reply);
      const isStale = reply.status === 412 || reply.status === 428;
      const next = isStale ? nextAttempt(attempt, reply.status) : undefined;
      if (next === undefined) return reply;
      attempt = next;
    }
  }

  /** Sends the PATCH without If-Match, for which some BMCs have only status 400. `refusal`: returned if that is of no use. */
  async #unmatched(path: string, body: JsonObject, refusal: HttpReply): Promise<HttpReply> {
    const reply = await this.#reply({ method: 'PATCH', path, body });
    if (reply.status >= 300) return refusal;
    this.#conversation.learnt.matchHabit = 'none';
    return reply;
  }

  /**
   * Resolves to the BMC's answer, which can have any status, to the request or, if the BMC does not accept the login, to the login.
   */
  async #reply(request: SessionRequest): Promise<HttpReply> {
    const { session } = this.#conversation;
    const sending = { name: `${request.method} ${request.path}`, isSafe: request.method === 'GET' };
    for (;;) {
      const known = session.current;
      const refusal = await this.#persistently(LOGIN, (limits) => session.logIn(limits));
      if (refusal !== undefined && !session.canDoWithout(refusal)) return refusal;
      const reply = await this.#persistently(sending, (limits) => session.send(request, limits));
      if (known === undefined || !hasLostSession(reply)) return reply;
      session.forget(known);
    }
  }

  async #persistently<T extends HttpReply | undefined>(
    sending: Omit<Sending, 'tries'>,
    send: (limits: Limits) => Promise<T>,
  ): Promise<T> {
    const { task, signal, timeoutSeconds } = this.#conversation;
    for (let tries = 1; ; tries += 1) {
      const outcome = await send({ signal, timeoutSeconds }).catch(failureIn);
      if (outcome === undefined) return outcome;
      const seconds = this.patience.secondsAfter(outcome, { ...sending, tries });
      if (seconds === undefined) {
        if (outcome instanceof HttpFailure) throw await this.#unanswered(outcome, sending.name);
        return outcome;
      }
      if (seconds > 0) await task.clock.sleep(seconds * 1000);
    }
  }

  #about() {
    const { task, connection, operation } = this.#conversation;
    return { operation, node: task.node.uuid, address: connection.address };
  }

  /** The fault for a request without an answer. If that may concern this request alone, finds out whether the BMC answers another. */
  async #unanswered(error: HttpFailure, name: string): Promise<Fault> {
    const isDoubtful = error.kind === 'overdue' || (name.startsWith('GET ') && LOST.has(error.kind));
    const isAlone = isDoubtful && (await this.#answersOthersThan(name));
    return unanswered(this.#about(), error, isAlone ? name : undefined);
  }

  /** Whether the BMC answers the request for its service root or, if that was the reading, for its systems. */
  async #answersOthersThan(name: string): Promise<boolean> {
    const { session, connection, signal, timeoutSeconds: longest } = this.#conversation;
    const root = `${connection.root}/`;
    const path = name === `GET ${root}` ? `${root}Systems` : root;
    const limits = { signal, timeoutSeconds: Math.min(PROBE_SECONDS, longest) };
    const outcome = await session.send({ method: 'GET', path }, limits).catch(failureIn);
    return !(outcome instanceof HttpFailure);
  }

  async #change(request: SessionRequest): Promise<BmcAnswer> {
    return this.#done(request, await this.#reply(request));
  }

  /** Returns the answer to a request that changes something. Throws BmcRefused if a proxy or a login page has answered. */
  #done({ method, path }: SessionRequest, reply: HttpReply): BmcAnswer {
    const answer = this.#answerIn(reply);
    const begin = answer.isJson ? '' : reply.bytes.toString('utf8', 0, 100).trimStart()[0];
    if (begin === '<')
      throw this.useless(
        reply.status,
        'its answer is an HTML page: something other than its Redfish service has answered',
      );
    if (begin !== '{') return answer;
    const { address } = this.#conversation.connection;
    const failure = new HttpFailure(method, new URL(path, address), new Error('its answer is cut off'));
    throw unanswered(this.#about(), failure, undefined);
  }

  #answerIn(reply: HttpReply): BmcAnswer {
    const { status, bytes, headers } = reply;
    if (status >= 300) throw refusedWith(this.#about(), reply);
    const [location] = headers['location'] ?? [];
    const body = jsonObjectIn(bytes);
    const isJson = body !== undefined;
    return { status, headers, body: body ?? {}, isJson, location: location && pathOf(location) };
  }

  /** The fault for an answer that has a good status and nevertheless is of no use. */
  useless(status: number, reason: string): Fault {
    return refused(this.#about(), { status, messages: [], subjects: [], reason });
  }
}

const LOGIN = { name: 'login', isSafe: true };

const failureIn = (error: unknown): HttpFailure => {
  if (error instanceof HttpFailure) return error;
  throw error;
};

function etagIn({ headers, body }: BmcAnswer): string | undefined {
  const inBody = body['@odata.etag'];
  return headers['etag']?.[0] ?? (typeof inBody === 'string' ? inBody : undefined);
}

/** Returns the path of a location: BMCs send absolute and relative URLs. */
const pathOf = (location: string): string => {
  const url = URL.parse(location, 'http://bmc.invalid');
  return url === null ? location : `${url.pathname}${url.search}`;
};
