// One connection to a BMC with its login, which the daemon keeps from one conversation to the next.
import { HttpClient, type HttpReply, type StreamedBody, type TaskClock } from '#plugin-api';
import type { Connection } from './connection.ts';
import { mentions, refusalIn } from './error-body.ts';
import { jsonIn, pathIn } from './fields.ts';
import { tlsSettings } from './trust.ts';

/**
 * How long an unused connection is kept. The time is short because a BMC accepts few connections. The session stays valid after its
 * connection is closed.
 */
const IDLE_SECONDS = 30;
/** Large enough for registries and expanded collections, which have several MiB. */
const LARGEST_REPLY_BYTES = 16_777_216;
/** How long the daemon uses basic authentication after the BMC had no free session. */
const NO_SESSION_MILLISECONDS = 600_000;

export interface Request {
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
  readonly connection: Connection;
  readonly connectSeconds: number;
  readonly clock: Pick<TaskClock, 'after' | 'monotonic'>;
}

/** Sends requests to one BMC, with the user name and password of its `Connection`. */
export class BmcSession {
  readonly #client: HttpClient;
  readonly #connection: Connection;
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

  /**
   * Resolves to the BMC's answer or, if the BMC refuses the login, to its answer to the login, which can have any status. Rejects
   * with HttpFailure when there is no answer. Sends the request a second time only if the BMC no longer knows an earlier session.
   */
  async send(request: Request, limits: Limits): Promise<HttpReply> {
    const known = this.#session;
    const refusedLogin = known === undefined ? await this.#logIn(limits) : undefined;
    if (refusedLogin !== undefined) return refusedLogin;
    const reply = await this.#exchange(request, limits);
    if (known === undefined || !hasLostSession(reply)) return reply;
    // keep the session if another request has logged in meanwhile
    if (this.#session === known) this.#session = undefined;
    const refusedAgain = this.#session === undefined ? await this.#logIn(limits) : undefined;
    return refusedAgain ?? this.#exchange(request, limits);
  }

  /** Ends the session on the BMC, which allows only a few sessions, and closes the connection. */
  async close(limits: Limits): Promise<void> {
    try {
      const { path } = this.#session ?? {};
      if (path !== undefined) await this.#exchange({ method: 'DELETE', path }, limits);
    } finally {
      this.#client.close();
    }
  }

  /**
   * Logs in. Requests that wait for a login share it. Returns the BMC's answer if the BMC refuses the login, otherwise undefined.
   */
  #logIn(limits: Limits): Promise<HttpReply | undefined> {
    const needsNone = this.#connection.username === '' || this.#clock.monotonic() < this.#basicUntil;
    if (needsNone) return Promise.resolve(undefined);
    this.#loggingIn ??= this.#createSession(limits).finally(() => (this.#loggingIn = undefined));
    return this.#loggingIn;
  }

  async #createSession(limits: Limits): Promise<HttpReply | undefined> {
    const { username, password, login, root } = this.#connection;
    const reply = await this.#exchange(
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

  #exchange({ method, path, body, upload, headers }: Request, limits: Limits): Promise<HttpReply> {
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
      largestReplyBytes: LARGEST_REPLY_BYTES,
      redirects: 2,
      ...limits,
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

/** A 403 means a missing right or licence, unless the BMC says that there is no session. */
const hasLostSession = (reply: HttpReply): boolean =>
  reply.status === 401 || (reply.status === 403 && refusalOf(reply).messages.includes('NoValidSession'));

const refusalOf = ({ status, bytes }: HttpReply) => refusalIn(status, bytes.toString('utf8'));

/** Returns for how many milliseconds to use basic authentication after this answer to a login; undefined: the login was refused. */
function pauseAfter(reply: HttpReply): number | undefined {
  const refusal = refusalOf(reply);
  const isFull = ['RAC0218', 'SessionLimitExceeded', 'CreateLimitReached'].some((id) =>
    mentions(refusal, id),
  );
  if (isFull) return NO_SESSION_MILLISECONDS;
  if (refusal.messages.includes('PasswordChangeRequired')) return undefined;
  return [401, 429, 503].includes(reply.status) ? undefined : Number.POSITIVE_INFINITY;
}

function sessionPath({ headers, bytes }: HttpReply): string | undefined {
  const [location] = headers['location'] ?? [];
  return location ?? pathIn(jsonIn(bytes));
}
