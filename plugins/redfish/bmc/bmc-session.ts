// One connection to a BMC with its login, which the daemon keeps from one conversation to the next.
import { HttpClient, type HttpReply, jsonObjectIn, type StreamedBody, type TaskClock } from '#plugin-api';
import type { BmcConnection } from './connection.ts';
import { mentions, refusalIn } from './error-body.ts';
import { demandsChange } from './failures.ts';
import { pathIn } from './fields.ts';
import { secondsUntilReady } from './patience.ts';
import { tlsSettings } from './trust.ts';
import { redfishLimits } from '../limits.ts';

/**
 * How long an unused connection is kept. The time is short because a BMC accepts few connections. The session stays valid after its
 * connection is closed.
 */
const IDLE_SECONDS = 30;
/** How long the daemon uses basic authentication after the BMC had no free session. */
const NO_SESSION_MILLISECONDS = 600_000;

export interface SessionRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly upload?: Upload;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A file in the body of a request. */
export interface Upload extends StreamedBody {
  readonly contentType: string;
  /** The time limit of the upload, in place of the usual time limit. */
  readonly timeoutSeconds: number;
}

export interface Limits {
  readonly signal: AbortSignal;
  readonly timeoutSeconds: number;
}

interface Session {
  readonly token: string;
  /** The path of the session on the BMC; undefined when the BMC does not say. */
  readonly path: string | undefined;
}

interface Settings {
  readonly connection: BmcConnection;
  readonly connectSeconds: number;
  readonly clock: Pick<TaskClock, 'after' | 'monotonic'>;
}

/** Sends requests to one BMC, with the user name and password of its `BmcConnection`. */
export class BmcSession {
  readonly #client: HttpClient;
  readonly #connection: BmcConnection;
  readonly #clock: Settings['clock'];
  #session: Session | undefined;
  /** Until this time, by the monotonic clock, basic authentication is used. */
  #basicUntil: number;
  #loggingIn: Promise<HttpReply | undefined> | undefined;

  private constructor(client: HttpClient, { connection, clock }: Settings) {
    this.#client = client;
    this.#connection = connection;
    this.#clock = clock;
    this.#basicUntil = connection.login === 'basic' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  }

  static async open(settings: Settings): Promise<BmcSession> {
    const { connection, connectSeconds, clock } = settings;
    const client = new HttpClient({
      url: connection.address,
      tls: await tlsSettings(connection.trust),
      idleSeconds: IDLE_SECONDS,
      connectSeconds,
      clock,
    });
    return new BmcSession(client, settings);
  }

  /** The session that requests use; undefined without one. */
  get current(): Session | undefined {
    return this.#session;
  }

  /**
   * Logs in, unless there is a session or none is needed. Requests that wait for a login share it. Resolves to undefined when
   * requests can be sent, and to the BMC's answer, which can have any status, when it did not accept the login. Rejects with
   * HttpFailure when there is no answer.
   */
  logIn(limits: Limits): Promise<HttpReply | undefined> {
    const isBasic = this.#clock.monotonic() < this.#basicUntil;
    if (this.#session !== undefined || this.#connection.username === '' || isBasic)
      return Promise.resolve(undefined);
    this.#loggingIn ??= this.#createSession(limits).finally(() => (this.#loggingIn = undefined));
    return this.#loggingIn;
  }

  /** Returns whether requests can be sent although the BMC answered a login in this way, and then sends them without a session. */
  canDoWithout(reply: HttpReply): boolean {
    const { status } = reply;
    // some BMCs open no session before the password is changed, which a request with basic authentication can do
    const isWeak = status === 429 || status >= 500 || demandsChange(refusalIn(reply));
    if (this.#connection.login === 'session' || !isWeak) return false;
    this.#basicUntil = this.#clock.monotonic() + NO_SESSION_MILLISECONDS;
    return true;
  }

  /** Forgets a session that the BMC no longer knows, unless another request has logged in meanwhile. */
  forget(session: Session): void {
    if (this.#session === session) this.#session = undefined;
  }

  /** Ends the session on the BMC, which allows only a few sessions, and closes the connection. */
  async close(limits: Limits): Promise<void> {
    try {
      const { path } = this.#session ?? {};
      if (path !== undefined) await this.send({ method: 'DELETE', path }, limits);
    } finally {
      this.#client.close();
    }
  }

  async #createSession(limits: Limits): Promise<HttpReply | undefined> {
    const { username, password, login, root } = this.#connection;
    const reply = await this.send(
      {
        method: 'POST',
        path: `${root}/SessionService/Sessions`,
        body: { UserName: username, Password: password },
      },
      limits,
    );
    const [token] = reply.headers['x-auth-token'] ?? [];
    if (reply.status < 300 && token !== undefined) {
      this.#session = { token, path: sessionPath(reply) };
      return undefined;
    }
    const pause = pauseAfter(reply);
    if (login === 'session' || pause === undefined) return reply;
    this.#basicUntil = this.#clock.monotonic() + pause;
    return undefined;
  }

  /**
   * Sends the request once. Resolves to the BMC's answer. Rejects with HttpFailure when there is no answer. Some BMCs have resources
   * only in gzip, and refuse a reading that does not say that it takes gzip: it is then sent again.
   */
  async send(request: SessionRequest, limits: Limits): Promise<HttpReply> {
    const reply = await this.#exchange(request, limits);
    if (reply.status !== 406 || request.method !== 'GET') return reply;
    return this.#exchange({ ...request, headers: { 'accept-encoding': 'gzip' } }, limits);
  }

  #exchange({ method, path, body, upload, headers }: SessionRequest, limits: Limits): Promise<HttpReply> {
    return this.#client.send({
      method,
      url: path,
      headers: {
        'odata-version': '4.0',
        ...this.#credentials(),
        ...(upload && { 'content-type': upload.contentType }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      largestReplyBytes: redfishLimits.replyBytes,
      redirects: 2,
      ...limits,
      // a BMC may close a kept connection right after an answer; a change must not be lost or doubtful for that
      isFresh: method !== 'GET',
      ...(upload && { body: upload, timeoutSeconds: upload.timeoutSeconds }),
    });
  }

  #credentials(): Readonly<Record<string, string>> {
    if (this.#session !== undefined) return { 'x-auth-token': this.#session.token };
    const { username, password } = this.#connection;
    if (username === '' || this.#clock.monotonic() >= this.#basicUntil) return {};
    return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
  }
}

/** Whether the BMC no longer knows the session. A 403 means a missing right or licence, unless the BMC says that there is no session. */
export const hasLostSession = (reply: HttpReply): boolean =>
  reply.status === 401 || (reply.status === 403 && refusalIn(reply).messages.includes('NoValidSession'));

/**
 * Returns for how many milliseconds to use basic authentication after this answer to a login; undefined: the login was refused, or
 * may succeed later.
 */
function pauseAfter(reply: HttpReply): number | undefined {
  const refusal = refusalIn(reply);
  const isFull = ['RAC0218', 'SessionLimitExceeded', 'CreateLimitReached'].some((id) =>
    mentions(refusal, id),
  );
  if (isFull) return NO_SESSION_MILLISECONDS;
  const isBusy = secondsUntilReady(reply) !== undefined;
  if (isBusy || demandsChange(refusal)) return undefined;
  const isFinal = reply.status === 501 || (reply.status < 500 && ![401, 408, 429].includes(reply.status));
  return isFinal ? Number.POSITIVE_INFINITY : undefined;
}

function sessionPath({ headers, bytes }: HttpReply): string | undefined {
  const [location] = headers['location'] ?? [];
  return location ?? pathIn(jsonObjectIn(bytes));
}
