// Requests to the servers of images. Users choose these servers, so requests go to allowed addresses only, and a login goes
// only to the servers that it is for.
import { readFileSync } from 'node:fs';
import { type Clock, sleep } from '../../lib/clock.ts';
import { guardedRoute } from '../../lib/network/address-rule.ts';
import type { TlsSettings } from '../../lib/http-client/connection.ts';
import { HttpClient } from '../../lib/http-client/http-client.ts';
import { HttpFailure } from '../../lib/http-client/http-failure.ts';
import type { HttpReply, Sink } from '../../lib/http-client/send-request.ts';
import { portOf } from '../../lib/network/listed-host.ts';
import { booleanOf } from '../../lib/words.ts';
import { imageLimits } from '../limits.ts';

export interface WebSettings {
  readonly clock: Clock;
  /** Returns why the daemon may not connect to the address and port of a server; undefined if it may. */
  readonly rule: (address: string, port: string) => string | undefined;
  /** The value of `[DEFAULT] webserver_verify_ca`. */
  readonly verifyCa: string;
  /** The longest time in which a server may send nothing. If a request has no `sink`, the whole reply must arrive in this time. */
  readonly silenceSeconds: number;
}

export interface WebRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Returns the value of the Authorization header for a server; called again after each redirect. */
  readonly authorize?: (server: URL) => string | undefined;
  /** Not set: 1 MiB. */
  readonly largestBytes?: number;
  readonly sink?: Sink;
  readonly signal: AbortSignal;
}

const REDIRECTS = 5;
const MEBIBYTE = 1_048_576;
export const RULE_OPTION = '[conductor] image_server_networks';
const TRIES = 3;
const TEMPORARY_STATUS = new Set([408, 429, 500, 502, 503, 504]);

/** Whether the same request may succeed later. */
export const isTemporary = (status: number): boolean => TEMPORARY_STATUS.has(status);

/** Like `get`, for a small document. Repeats the request if the server does not accept or closes the connection, or cannot answer now. */
export async function getDocument(
  settings: WebSettings,
  request: Omit<WebRequest, 'sink'>,
): Promise<HttpReply> {
  for (let tries = 1; ; tries += 1) {
    try {
      const reply = await get(settings, request);
      if (!isTemporary(reply.status) || tries === TRIES) return reply;
    } catch (error) {
      const isPassing = error instanceof HttpFailure && ['unreachable', 'closed'].includes(error.kind);
      if (!isPassing || tries === TRIES) throw error;
    }
    await sleep(settings.clock, 2 ** tries * 1000, request.signal);
  }
}

/**
 * Sends GET and follows redirects, also to other servers. Rejects with HttpFailure; with another Error when a redirect is refused
 * or the server exceeds `silenceSeconds`; or with the signal's reason.
 */
export async function get(settings: WebSettings, request: WebRequest): Promise<HttpReply> {
  const named = new URL(request.url);
  let url = named;
  for (let followed = 0; ; followed += 1) {
    const reply = await getOnce(settings, request, { url, isNamed: url.origin === named.origin });
    const [location] = reply.headers['location'] ?? [];
    if (location === undefined || ![301, 302, 303, 307, 308].includes(reply.status)) return reply;
    const next = URL.parse(location, url.href);
    if (next === null)
      throw new Error(`its server redirects to ${location.slice(0, 200)}, which is not a URL`);
    if (next.protocol !== 'https:' && (next.protocol !== 'http:' || url.protocol === 'https:'))
      throw new Error(`its server redirects to ${next.protocol}//${next.host}, which is not safe`);
    if (followed === REDIRECTS) throw new Error(`its server redirects more than ${REDIRECTS} times`);
    url = next;
  }
}

interface Hop {
  readonly url: URL;
  /** Whether the URL is on the server that the request names. */
  readonly isNamed: boolean;
}

async function getOnce(
  settings: WebSettings,
  request: WebRequest,
  { url, isNamed }: Hop,
): Promise<HttpReply> {
  const { clock, rule, silenceSeconds } = settings;
  const login = isNamed ? new URL(request.url) : url;
  const authorization = request.authorize?.(url);
  const client = new HttpClient({
    url: login.href,
    clock,
    route: guardedRoute((address) => rule(address, portOf(url)), RULE_OPTION),
    ...(url.protocol === 'https:' && { tls: tlsBy(settings.verifyCa) }),
  });
  const { sink, largestBytes = MEBIBYTE, headers } = request;
  const lapse = sink === undefined ? 'did not send its whole reply within' : 'sent nothing for';
  const silence = silenceAlarm(clock, silenceSeconds, `its server ${lapse} ${silenceSeconds} s`);
  try {
    return await client.send({
      url: url.href,
      headers: {
        accept: '*/*',
        'accept-encoding': 'identity',
        ...headers,
        ...(authorization !== undefined && { authorization }),
      },
      timeoutSeconds: imageLimits.requestSeconds,
      largestReplyBytes: largestBytes,
      signal: AbortSignal.any([request.signal, silence.signal]),
      ...(sink && {
        async sink(piece, head) {
          silence.reset();
          await sink(piece, head);
        },
      }),
    });
  } finally {
    silence.cancel();
    client.close();
  }
}

function silenceAlarm(clock: Clock, seconds: number, reason: string) {
  const controller = new AbortController();
  const begin = () => clock.after(seconds * 1000, () => controller.abort(new Error(reason)));
  let cancel = begin();
  return {
    signal: controller.signal,
    reset() {
      cancel();
      cancel = begin();
    },
    cancel: () => cancel(),
  };
}

/** A file that `verifyCa` names is read for each connection, so that a renewed certificate takes effect at once. */
function tlsBy(verifyCa: string): TlsSettings {
  const word = booleanOf(verifyCa);
  if (word === undefined) return { ca: readFileSync(verifyCa, 'utf8') };
  return word ? {} : { rejectUnauthorized: false };
}
