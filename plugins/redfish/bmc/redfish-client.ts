// Sends requests to one BMC within a conversation, repeats those that are safe to repeat, and turns refusals into faults.
import {
  Fault,
  failureReason,
  fault,
  HttpFailure,
  type HttpReply,
  type JsonObject,
  type Task,
} from '#plugin-api';
import type { BmcSession, Request, Upload } from './bmc-session.ts';
import type { Connection } from './connection.ts';
import { mentions, type Refusal, refusalIn } from './error-body.ts';
import { ifMatch, nextAttempt } from './etags.ts';
import { jsonIn } from './fields.ts';
import type { Learnt } from './learnt.ts';

/** What all requests of one operation share. */
export interface Conversation {
  readonly task: Task;
  readonly connection: Connection;
  readonly session: BmcSession;
  readonly learnt: Learnt;
  /** The operation as messages name it, such as `Reading the power state`. */
  readonly operation: string;
  readonly signal: AbortSignal;
  readonly timeoutSeconds: number;
  readonly attempts: number;
}

export interface Answer {
  readonly status: number;
  /** The JSON object in the answer; empty when the body is not a JSON object. */
  readonly body: JsonObject;
  /** The path of the created resource, or of the task that carries out the request. */
  readonly location: string | undefined;
  readonly headers: HttpReply['headers'];
}

const PAUSE_MILLISECONDS = 1000;
const LONGEST_WAIT_SECONDS = 60;
const NOT_READY_SECONDS = 5;
/** How many times a request is repeated while the BMC is not ready. */
const WAITS = 6;
/** Messages with which BMCs of Dell and HPE say that they are busy: the same request may succeed later. */
const NOT_READY = ['SYS518', 'SWC0700', 'InvalidOperationForSystemState'];

export class RedfishClient {
  readonly #conversation: Conversation;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  /** Resolves to the resource. Throws BmcFailure, BmcRefused, BmcNotReady or BmcCredentialsRefused. */
  async get(path: string): Promise<JsonObject> {
    return (await this.read(path)).body;
  }

  async read(path: string): Promise<Answer> {
    const reply = await this.#send({ method: 'GET', path });
    const answer = answerIn(reply);
    if (jsonIn(reply.bytes) === undefined && reply.status !== 202)
      throw this.#refused({ ...refusalIn(reply.status, ''), reason: 'its answer is not a JSON object' });
    this.#conversation.learnt.rememberEtag(path, etagIn(answer));
    return answer;
  }

  /** Resolves to undefined when nothing exists at `path`. Throws like `get`. */
  async find(path: string): Promise<JsonObject | undefined> {
    try {
      return await this.get(path);
    } catch (error) {
      if (refusalOf(error)?.status === 404) return undefined;
      throw error;
    }
  }

  /**
   * Sends the ETag of the last reading as If-Match, unless no ETag is known or the BMC accepts none. After status 412 or 428 reads
   * the resource again and repeats the request. Throws like `get`.
   */
  async patch(path: string, body: JsonObject): Promise<Answer> {
    const { learnt } = this.#conversation;
    let attempt = { habit: learnt.matchHabit, isFresh: false };
    for (;;) {
      if (attempt.isFresh) await this.get(path);
      const match = ifMatch(learnt.etagOf(path), attempt.habit);
      const reply = await this.#persistently({
        method: 'PATCH',
        path,
        body,
        ...(match !== undefined && { headers: { 'if-match': match } }),
      });
      learnt.forgetEtag(path);
      if (reply.status < 300) {
        learnt.matchHabit = attempt.habit;
        return answerIn(reply);
      }
      const hasStaleTag = reply.status === 412 || reply.status === 428;
      const next = hasStaleTag ? nextAttempt(attempt, reply.status) : undefined;
      if (next === undefined) throw this.#refusal(reply);
      attempt = next;
    }
  }

  /**
   * Does not send the request again when there is no answer: the caller must then read whether the request took effect. Sends it
   * again only after the BMC has said that it was not ready. Throws like `get`.
   */
  async post(path: string, body?: JsonObject): Promise<Answer> {
    return answerIn(await this.#send({ method: 'POST', path, ...(body && { body }) }));
  }

  /** Like `post`, with a file as the body. */
  async upload(path: string, upload: Upload): Promise<Answer> {
    return answerIn(await this.#send({ method: 'POST', path, upload }));
  }

  /** Like `post`. */
  async delete(path: string, body?: JsonObject): Promise<Answer> {
    return answerIn(await this.#send({ method: 'DELETE', path, ...(body && { body }) }));
  }

  async #send(request: Request): Promise<HttpReply> {
    const reply = await this.#persistently(request);
    if (reply.status < 300) return reply;
    throw this.#refusal(reply);
  }

  /** Waits and repeats a request that the BMC has refused because it is busy or not ready; such a request had no effect. */
  async #persistently(request: Request): Promise<HttpReply> {
    const { task } = this.#conversation;
    for (let waits = 0; ; waits += 1) {
      const reply = await this.#repeatedly(request);
      const seconds = reply.status < 300 || waits === WAITS ? undefined : secondsToWait(request, reply);
      if (seconds === undefined) return reply;
      await task.clock.sleep(seconds * 1000);
    }
  }

  /** Repeats a GET or PATCH whose connection was closed, or whose answer was unusable. */
  async #repeatedly(request: Request): Promise<HttpReply> {
    const { task, session, signal, timeoutSeconds, attempts } = this.#conversation;
    const mayRepeat = request.method === 'GET' || request.method === 'PATCH';
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await session.send(request, { signal, timeoutSeconds });
      } catch (error) {
        if (!(error instanceof HttpFailure)) throw error;
        const canHelp = error.kind === 'closed' || error.kind === 'other';
        if (!mayRepeat || !canHelp || attempt >= attempts) throw this.#silence(error);
        // the BMC may have closed a kept connection: the first repetition is on a new one, at once
        if (attempt > 1) await task.clock.sleep(PAUSE_MILLISECONDS * attempt);
      }
    }
  }

  #about() {
    const { task, connection, operation } = this.#conversation;
    return { operation, node: task.node.uuid, address: connection.address };
  }

  #silence(error: HttpFailure): Fault {
    const reason =
      error.kind === 'certificate'
        ? `${error.reason}. To trust its certificate, set driver_info/redfish_verify_ca to a file with the CA's certificate, or to false`
        : failureReason(error);
    return fault('BmcFailure', { ...this.#about(), reason }, { cause: error });
  }

  #refusal(reply: HttpReply): Fault {
    const refusal = refusalIn(reply.status, reply.bytes.toString('utf8'));
    const { reason } = refusal;
    const isLogin = reply.status === 401 || refusal.messages.includes('PasswordChangeRequired');
    if (isLogin) return fault('BmcCredentialsRefused', { ...this.#about(), reason });
    const saysNotReady = isNotReady(refusal);
    const seconds = retryAfter(reply) ?? (saysNotReady ? NOT_READY_SECONDS : undefined);
    return seconds !== undefined && (saysNotReady || reply.status >= 429)
      ? fault('BmcNotReady', { ...this.#about(), reason, seconds }, { cause: new RefusedByBmc(refusal) })
      : this.#refused(refusal);
  }

  #refused(refusal: Refusal): Fault {
    const { status, reason, messages } = refusal;
    const [message = 'no message'] = messages;
    return fault(
      'BmcRefused',
      { ...this.#about(), status, message, reason },
      { cause: new RefusedByBmc(refusal) },
    );
  }
}

/** The refusal of a BMC, in the form of an Error that can be the cause of a fault. */
class RefusedByBmc extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.reason);
    this.refusal = refusal;
  }
}

/** Returns the refusal that caused the BmcRefused or BmcNotReady `error`; undefined for any other error. */
export function refusalOf(error: unknown): Refusal | undefined {
  const cause = error instanceof Fault ? error.cause : undefined;
  return cause instanceof RefusedByBmc ? cause.refusal : undefined;
}

function etagIn({ headers, body }: Answer): string | undefined {
  const inBody = body['@odata.etag'];
  return headers['etag']?.[0] ?? (typeof inBody === 'string' ? inBody : undefined);
}

function answerIn({ status, bytes, headers }: HttpReply): Answer {
  const [location] = headers['location'] ?? [];
  return { status, headers, body: jsonIn(bytes) ?? {}, location: location && pathOf(location) };
}

/** Returns the path of a location: BMCs send absolute and relative URLs. */
const pathOf = (location: string): string => {
  const url = URL.parse(location, 'http://bmc.invalid');
  return url === null ? location : `${url.pathname}${url.search}`;
};

const isNotReady = (refusal: Refusal): boolean => NOT_READY.some((word) => mentions(refusal, word));

/**
 * Returns undefined when waiting does not help. A request that changes something is repeated only when the BMC says that it was
 * not ready.
 */
function secondsToWait({ method }: Request, reply: HttpReply): number | undefined {
  if (isNotReady(refusalIn(reply.status, reply.bytes.toString('utf8'))))
    return retryAfter(reply) ?? NOT_READY_SECONDS;
  return method === 'GET' && [429, 503].includes(reply.status) ? retryAfter(reply) : undefined;
}

/**
 * Returns the seconds to wait that `Retry-After` gives as a number or a date: at least 1, at most LONGEST_WAIT_SECONDS. Returns
 * undefined when there is no such header, or its value is of no use.
 */
export function retryAfter({ headers }: Pick<HttpReply, 'headers'>): number | undefined {
  const [given] = headers['retry-after'] ?? [];
  if (given === undefined) return undefined;
  const [now] = headers['date'] ?? [];
  const seconds = /^\d{1,9}$/.test(given)
    ? Number(given)
    : (Date.parse(given) - Date.parse(now ?? '')) / 1000;
  return Number.isFinite(seconds)
    ? Math.min(Math.max(Math.ceil(seconds), 1), LONGEST_WAIT_SECONDS)
    : undefined;
}
