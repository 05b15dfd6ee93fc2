// One client of a BMC with its login, which the daemon keeps from one conversation to the next.
import { readFile } from 'node:fs/promises';
import { HttpClient, type HttpClientSettings, type HttpReply } from '#plugin-api';
import type { Connection } from './connection.ts';

const SESSIONS = '/redfish/v1/SessionService/Sessions';
/** Short, because a BMC accepts few connections; it ends a session only after half an hour or more. */
const IDLE_SECONDS = 30;
/** A collection of systems or an error; inventories are not read here. */
const LARGEST_REPLY_BYTES = 1_048_576;

export interface Request {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

/** Sends requests as the user of the connection. */
export class BmcSession {
  readonly #client: HttpClient;
  readonly #connection: Connection;
  #token: string | undefined;
  /** Where the BMC lists the session; undefined without one, or when the BMC does not say. */
  #session: string | undefined;
  #isBasic: boolean;
  /** Paths that do not change, keyed by the name of what is there. */
  readonly paths = new Map<string, string>();

  private constructor(connection: Connection, settings: HttpClientSettings) {
    this.#connection = connection;
    this.#client = new HttpClient(settings);
    this.#isBasic = connection.login === 'basic';
  }

  static async open(connection: Connection, clock: HttpClientSettings['clock']): Promise<BmcSession> {
    const { address, verifies, caFile } = connection;
    const ca = caFile === undefined ? {} : { ca: await readFile(caFile, 'utf8') };
    return new BmcSession(connection, {
      url: address,
      tls: { rejectUnauthorized: verifies, ...ca },
      idleSeconds: IDLE_SECONDS,
      clock,
    });
  }

  /**
   * Resolves to the BMC's answer, whatever its status; 401 only when a new login did not help. Rejects with HttpFailure
   * when there is none. The request is sent again only after the BMC has refused it for want of a session.
   */
  async send(request: Request, limits: Limits): Promise<HttpReply> {
    const isNew = this.#token === undefined && !this.#isBasic;
    if (isNew) {
      const refusal = await this.#logIn(limits);
      if (refusal !== undefined) return refusal;
    }
    const reply = await this.#exchange(request, limits);
    if (reply.status !== 401 || isNew || this.#isBasic) return reply;
    this.#token = undefined;
    return (await this.#logIn(limits)) ?? this.#exchange(request, limits);
  }

  /** Ends the session on the BMC, which allows only a few. */
  async close(limits: Limits): Promise<void> {
    try {
      if (this.#session !== undefined && this.#token !== undefined)
        await this.#exchange({ method: 'DELETE', path: this.#session }, limits);
    } finally {
      this.#client.close();
    }
  }

  /** Returns the BMC's answer if it refuses the login, otherwise undefined. */
  async #logIn(limits: Limits): Promise<HttpReply | undefined> {
    const { username, password, login } = this.#connection;
    if (username === '') {
      this.#isBasic = true;
      return undefined;
    }
    const body = { UserName: username, Password: password };
    const reply = await this.#exchange({ method: 'POST', path: SESSIONS, body }, limits);
    const [token] = reply.headers['x-auth-token'] ?? [];
    if (reply.status < 300 && token !== undefined) {
      const [location] = reply.headers['location'] ?? [];
      this.#token = token;
      this.#session = location;
      return undefined;
    }
    const lacksSessions = [404, 405, 501].includes(reply.status);
    if (!lacksSessions || login === 'session') return reply;
    this.#isBasic = true;
    return undefined;
  }

  #exchange({ method, path, body }: Request, { signal, timeoutSeconds }: Limits): Promise<HttpReply> {
    return this.#client.send({
      method,
      url: path,
      headers: { 'odata-version': '4.0', ...this.#credentials() },
      ...(body && { body: JSON.stringify(body) }),
      largestReplyBytes: LARGEST_REPLY_BYTES,
      redirects: method === 'GET' ? 2 : 0,
      timeoutSeconds,
      signal,
    });
  }

  #credentials(): Readonly<Record<string, string>> {
    const { username, password } = this.#connection;
    if (this.#token !== undefined) return { 'x-auth-token': this.#token };
    if (!this.#isBasic || username === '') return {};
    return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
  }
}

export interface Limits {
  readonly signal: AbortSignal;
  readonly timeoutSeconds: number;
}
