// Sends HTTP requests to one server, limited in time and size. With `idleSeconds`, requests share one connection.
import { Readable } from 'node:stream';
import type { Clock } from '../clock.ts';
import { type HttpConnection, type ConnectionSettings, openConnection } from './connection.ts';
import { decompressed } from './decompressed.ts';
import { HttpFailure } from './http-failure.ts';
import { type HttpReply, sendRequest, type Sink } from './send-request.ts';

export interface HttpClientSettings extends ConnectionSettings {
  /** The URL of the server. The URLs of requests are relative to it. */
  readonly url: string;
  /** Sent with each request (Basic). Not set: user and password in `url`, if any. */
  readonly login?: HttpLogin;
  readonly clock: Pick<Clock, 'after'>;
}

export interface HttpLogin {
  readonly user: string;
  readonly password: string;
}

export interface HttpRequest {
  /** Not set: GET. */
  readonly method?: string;
  /** An absolute URL on the client's server, or a relative one. */
  readonly url: string;
  /** If not set here, `accept` is application/json. So is `content-type` if there is a body. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array | StreamedBody;
  /** The time limit from the call to the last byte of the reply, redirects included. */
  readonly timeoutSeconds: number;
  /** Not set: 32 MiB. */
  readonly largestReplyBytes?: number;
  /**
   * Receives the body of a reply with status 200 or 206, piece by piece; `bytes` of the reply is then empty. The next piece is
   * read when the promise for the previous one has resolved. Bodies of other replies are in `bytes`.
   */
  readonly sink?: Sink;
  /**
   * How many redirects to follow. The request rejects at a further redirect, and at a redirect to another server. A redirect that
   * would change the method is not followed but returned as the reply. Not set: every redirect is returned as the reply.
   */
  readonly redirects?: number;
  /**
   * Sends the request on a new connection, unless other requests use the connection. For requests that must not be repeated: on a
   * kept connection, they can meet its end and fail.
   */
  readonly isFresh?: boolean;
  readonly signal?: AbortSignal;
}

/** A body that is not kept in memory. */
export interface StreamedBody {
  /** null: not known before the end; the body is sent in chunks. */
  readonly bytes: number | null;
  /** Called each time the body is sent: more than once if the request is redirected. */
  readonly open: () => AsyncIterable<Uint8Array>;
}

/** The largest expected replies are the logs of a ramdisk. */
const LARGEST_REPLY_BYTES = 33_554_432;

/** Without `idleSeconds`, the connection ends when no request is under way. With it, close the client after use. */
export class HttpClient {
  readonly #settings: HttpClientSettings;
  readonly #base: URL;
  readonly #login: HttpLogin | undefined;
  readonly #closing = new AbortController();
  #connection: HttpConnection | undefined;
  #underWay = 0;

  /** Throws a TypeError when the URL is not valid. */
  constructor(settings: HttpClientSettings) {
    this.#settings = settings;
    this.#base = new URL(settings.url);
    this.#login = settings.login ?? loginIn(this.#base);
  }

  /**
   * Rejects with HttpFailure if no complete reply arrives, with the signal's reason when it aborts, and with a TypeError when the
   * URL is not valid.
   */
  async send(request: HttpRequest): Promise<HttpReply> {
    const target = new URL(request.url, this.#base);
    const overdue = new AbortController();
    const cancel = this.#settings.clock.after(request.timeoutSeconds * 1000, () =>
      overdue.abort(new DOMException(`no complete reply within ${request.timeoutSeconds} s`, 'TimeoutError')),
    );
    const signals = [this.#closing.signal, overdue.signal, request.signal];
    const signal = AbortSignal.any(signals.filter((each) => each !== undefined));
    try {
      return await this.#followed(request, target, signal);
    } catch (error) {
      request.signal?.throwIfAborted();
      throw new HttpFailure(request.method ?? 'GET', target, error);
    } finally {
      cancel();
    }
  }

  /** Ends the connection. Requests that are under way, and later ones, fail. */
  close(): void {
    this.#closing.abort(new Error('the client was closed'));
    this.#drop();
  }

  async #followed(request: HttpRequest, target: URL, signal: AbortSignal): Promise<HttpReply> {
    const { method = 'GET', redirects = 0 } = request;
    let url = target;
    for (let followed = 0; ; followed += 1) {
      if (url.origin !== this.#base.origin)
        throw new Error(`expected a URL of ${this.#base.origin}, but the request leads to ${url.origin}`);
      const reply = await this.#exchanged({ ...request, method, url }, signal);
      const location = redirects === 0 ? undefined : redirection(method, reply);
      if (location === undefined) return reply;
      if (followed === redirects) throw new Error(`expected at most ${redirects} redirects`);
      const next = URL.parse(location, url.href);
      if (next === null) throw new Error(`it redirects to ${location.slice(0, 200)}, which is not a URL`);
      url = next;
    }
  }

  async #exchanged(request: Resolved, signal: AbortSignal): Promise<HttpReply> {
    signal.throwIfAborted();
    const isKept = this.#settings.idleSeconds !== undefined;
    if (request.isFresh === true && this.#underWay === 0) this.#drop();
    this.#connection ??= openConnection(this.#base.origin, this.#settings);
    this.#underWay += 1;
    let isReusable = false;
    try {
      const { method, url, body, largestReplyBytes: largestBytes = LARGEST_REPLY_BYTES, sink } = request;
      const reply = await sendRequest(
        this.#connection,
        {
          origin: url.origin,
          path: `${url.pathname}${url.search}`,
          method,
          headers: headersOf(request, this.#login),
          body: isStreamed(body) ? Readable.from(opened(body)) : (body ?? null),
          reset: !isKept,
        },
        { largestBytes, signal, sink },
      );
      isReusable = isKept;
      return await decompressed(reply, largestBytes);
    } finally {
      this.#underWay -= 1;
      if (!isReusable && this.#underWay === 0) this.#drop();
    }
  }

  #drop(): void {
    this.#connection?.destroy(new Error('the client was closed'));
    this.#connection = undefined;
  }
}

type Resolved = Omit<HttpRequest, 'url' | 'method'> & { readonly url: URL; readonly method: string };

function headersOf(
  { headers = {}, body }: Resolved,
  login: HttpLogin | undefined,
): Record<string, string | string[]> {
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(isStreamed(body) && body.bytes !== null && { 'content-length': String(body.bytes) }),
    ...(login && { authorization: basicAuthorization(login) }),
    ...(Object.fromEntries(own) as Record<string, string | string[]>),
  };
}

/**
 * Opens the body only when undici begins to read it. If a file stream were opened earlier and failed, nothing would handle its
 * error yet, and the error would end the process.
 */
async function* opened(body: StreamedBody): AsyncIterable<Uint8Array> {
  yield* body.open();
}

const isStreamed = (body: HttpRequest['body']): body is StreamedBody =>
  typeof body === 'object' && 'open' in body;

const basicAuthorization = ({ user, password }: HttpLogin) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

const loginIn = ({ username, password }: URL): HttpLogin | undefined =>
  username === '' ? undefined : { user: decoded(username), password: decoded(password) };

/** Returns the text unchanged if a % in it begins no escape sequence. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the location if the reply is a redirect that keeps the method of the request. */
function redirection(method: string, { status, headers }: HttpReply): string | undefined {
  const isKept = status === 307 || status === 308;
  const isRead = (method === 'GET' || method === 'HEAD') && [301, 302, 303].includes(status);
  return isKept || isRead ? headers['location']?.[0] : undefined;
}
