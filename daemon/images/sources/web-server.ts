// Requests to the servers of images. Users choose these servers, so requests go to allowed addresses only, and a login goes
// only to the servers that it is for.
import { readFileSync } from 'node:fs';
import { type AddressRule, guardedRoute } from '../../lib/network/address-rule.ts';
import type { Clock } from '../../lib/clock.ts';
import type { TlsSettings } from '../../lib/http-client/connection.ts';
import { HttpClient } from '../../lib/http-client/http-client.ts';
import type { HttpReply, Sink } from '../../lib/http-client/send-request.ts';
import { booleanOf } from '../../lib/words.ts';

export interface WebSettings {
  readonly clock: Clock;
  readonly rule: AddressRule;
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
const LONGEST_SECONDS = 86_400;
const RULE_OPTION = '[conductor] image_server_networks';

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
    const next = new URL(location, url);
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
    route: guardedRoute(rule, RULE_OPTION),
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
      timeoutSeconds: LONGEST_SECONDS,
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
