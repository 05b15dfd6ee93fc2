// Sends the requests of the OpenID Connect library with the daemon's own HTTP client, which limits their time and size.
import type { CustomFetch } from 'openid-client';
import type { Clock } from '../../../lib/clock.ts';
import { HttpClient } from '../../../lib/http-client/http-client.ts';

const TIMEOUT_SECONDS = 10;
const LARGEST_REPLY_BYTES = 1_048_576;
/** A Response with such a status has no body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/** `ca`: the trusted certificates (PEM); undefined: those that the system trusts. */
export const providerFetch =
  (clock: Pick<Clock, 'after'>, ca: string | undefined): CustomFetch =>
  async (url, { method, headers, body, signal }) => {
    // all requests with a body are forms
    const client = new HttpClient({ url, clock, ...(ca !== undefined && { tls: { ca } }) });
    const reply = await client.send({
      method,
      url,
      headers,
      ...(body instanceof URLSearchParams && { body: body.toString() }),
      timeoutSeconds: TIMEOUT_SECONDS,
      largestReplyBytes: LARGEST_REPLY_BYTES,
      ...(signal && { signal }),
    });
    const { status } = reply;
    const received = Object.entries(reply.headers).flatMap(([name, values]) =>
      values.map((value): [string, string] => [name, value]),
    );
    return new Response(EMPTY.has(status) ? null : new Uint8Array(reply.bytes), {
      status,
      headers: received,
    });
  };
