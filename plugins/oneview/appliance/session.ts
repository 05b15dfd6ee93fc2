// The session with a OneView appliance: one login for all nodes, and several connections, so that
// requests run at the same time.
import {
  HttpClient,
  type HttpClientSettings,
  type HttpReply,
  type HttpRequest,
  type JsonObject,
  type TlsSettings,
} from '#plugin-api';
import { answerBody, StrangeAnswer, textOf } from './answer.ts';

const SESSIONS = '/rest/login-sessions';
const IDLE_SECONDS = 30;
/** From this version of the REST API on, everything that the driver reads and writes has the same form. */
export const OLDEST_VERSION = 200;
export const NEWEST_VERSION = 2000;

interface Credentials {
  readonly userName: string;
  readonly password: string;
}

interface Limits {
  readonly signal?: AbortSignal;
  readonly timeoutSeconds: number;
}

export type ApplianceRequest = Pick<HttpRequest, 'method' | 'url' | 'body' | 'headers'>;

export interface SessionSettings extends Omit<HttpClientSettings, 'idleSeconds' | 'tls'> {
  /**
   * Called for each new HTTP client. A client whose request failed is not used again, so after a failure a replaced file of CA
   * certificates takes effect.
   */
  readonly tls: () => Promise<TlsSettings>;
}

/** An open login, or the appliance's answer that refused it. */
type Login =
  | { readonly kind: 'open'; readonly token: string; readonly version: string }
  | { readonly kind: 'refused'; readonly reply: HttpReply };

export class Session {
  readonly #settings: SessionSettings;
  /** The version of the REST API that the operator has chosen; 0: none. */
  readonly #chosenVersion: number;
  readonly #idle: HttpClient[] = [];
  #login: Promise<Login> | undefined;

  constructor(settings: SessionSettings, chosenVersion: number) {
    this.#settings = settings;
    this.#chosenVersion = chosenVersion;
  }

  /**
   * Sends the question. Logs in first if there is no session, and again if the appliance no longer knows the session. If the
   * login is refused, resolves to the reply that refuses it, which has status 401 for wrong credentials. Rejects with
   * HttpFailure, StrangeAnswer, UnsupportedVersion or the error of `tls`.
   */
  async send(question: ApplianceRequest, credentials: Credentials, limits: Limits): Promise<HttpReply> {
    const login = this.#open(credentials, limits);
    const first = await this.#asked(await login, question, limits);
    if (first.status !== 401 || (await login).kind === 'refused') return first;
    // of several requests that were refused at the same time, the first makes a new login, and the others use it
    if (this.#login === login) this.#login = undefined;
    return this.#asked(await this.#open(credentials, limits), question, limits);
  }

  async logOut(limits: Limits): Promise<void> {
    const login = await this.#login?.catch(() => undefined);
    try {
      if (login?.kind === 'open') await this.#asked(login, { method: 'DELETE', url: SESSIONS }, limits);
    } finally {
      for (const client of this.#idle) client.close();
    }
  }

  #open(credentials: Credentials, { timeoutSeconds }: Limits): Promise<Login> {
    return (this.#login ??= this.#logIn(credentials, timeoutSeconds));
  }

  async #logIn(credentials: Credentials, timeoutSeconds: number): Promise<Login> {
    try {
      const login = await this.#requestLogin(credentials, timeoutSeconds);
      if (login.kind === 'refused') this.#login = undefined;
      return login;
    } catch (error) {
      this.#login = undefined;
      throw error;
    }
  }

  // does not take the signal of the request, because other requests may wait for the same login
  async #requestLogin(credentials: Credentials, timeoutSeconds: number): Promise<Login> {
    let chosen = this.#chosenVersion;
    if (chosen === 0) {
      const known = await this.#exchange({ url: '/rest/version' }, { timeoutSeconds });
      if (known.status >= 300) return { kind: 'refused', reply: known };
      chosen = versionFor(answerBody(known) ?? {});
    }
    const version = String(chosen);
    const headers = { 'x-api-version': version };
    const body = JSON.stringify(credentials);
    const reply = await this.#exchange({ method: 'POST', url: SESSIONS, headers, body }, { timeoutSeconds });
    if (reply.status >= 300) return { kind: 'refused', reply: asRefusal(reply) };
    const token = textOf(answerBody(reply) ?? {}, 'sessionID');
    if (token === '') throw new StrangeAnswer('its answer to the login has no session ID');
    return { kind: 'open', token, version };
  }

  #asked(login: Login, question: ApplianceRequest, limits: Limits): Promise<HttpReply> {
    if (login.kind === 'refused') return Promise.resolve(login.reply);
    const { token, version } = login;
    const headers = { ...question.headers, 'x-api-version': version, auth: token };
    return this.#exchange({ ...question, headers }, limits);
  }

  async #exchange(question: ApplianceRequest, limits: Limits): Promise<HttpReply> {
    const client = this.#idle.pop() ?? (await this.#newClient());
    try {
      const reply = await client.send({ ...question, ...limits });
      this.#idle.push(client);
      return reply;
    } catch (error) {
      client.close();
      throw error;
    }
  }

  async #newClient(): Promise<HttpClient> {
    const tls = await this.#settings.tls();
    return new HttpClient({ ...this.#settings, tls, idleSeconds: IDLE_SECONDS });
  }
}

/** Returns the reply that refuses a login. Changes the status to 401 if the password is wrong, because OneView then answers 400. */
const asRefusal = (reply: HttpReply): HttpReply =>
  textOf(answerBody(reply) ?? {}, 'errorCode').startsWith('AUTHN_AUTH_FAIL')
    ? { ...reply, status: 401 }
    : reply;

/** Thrown when the appliance names only versions older than OLDEST_VERSION. */
export class UnsupportedVersion extends Error {}

/**
 * Returns the newest version of the REST API that both driver and appliance know. For an appliance with only newer versions,
 * returns its oldest version, which may still fit. Throws UnsupportedVersion, or StrangeAnswer when the answer names no version.
 */
export function versionFor({ currentVersion, minimumVersion = currentVersion ?? null }: JsonObject): number {
  if (typeof currentVersion !== 'number' || typeof minimumVersion !== 'number')
    throw new StrangeAnswer('its answer names no version of its REST API');
  const chosen = Math.max(Math.min(currentVersion, NEWEST_VERSION), minimumVersion);
  if (chosen >= OLDEST_VERSION) return chosen;
  throw new UnsupportedVersion(
    `unsupported version of its REST API: it has ${minimumVersion} to ${currentVersion}, expected ${OLDEST_VERSION} or newer`,
  );
}
