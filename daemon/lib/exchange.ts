// One HTTP request and its reply, limited in time and size, on a connection of its own. Redirects are not followed.
import http from 'node:http';
import https from 'node:https';
import { type AddressRule, guardedLookup, refusedHost } from './callback-networks.ts';
import type { Clock } from './clock.ts';

/** TLS trust settings; ignored for plain HTTP. */
export interface Trust {
  /** The trusted certificates (PEM). Not set: those that the system trusts. */
  readonly ca?: string;
  readonly rejectUnauthorized: boolean;
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
}

export interface ExchangeRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** JSON. */
  readonly body?: string | Uint8Array;
  /** The value of the Authorization header. */
  readonly authorization?: string;
  readonly trust: Trust;
  /** Checked for each address before connecting to it. Not set: all addresses are allowed. */
  readonly addressRule?: AddressRule;
  readonly timeoutSeconds: number;
  readonly clock: Pick<Clock, 'after'>;
  readonly signal: AbortSignal;
}

export interface Reply {
  readonly status: number;
  readonly bytes: Buffer;
}

/** The largest expected replies are the logs of a ramdisk. */
const LARGEST_REPLY_BYTES = 33_554_432;

/** Rejects with the reason if no complete reply arrives, and with the signal's reason when it aborts. */
export async function exchange(request: ExchangeRequest): Promise<Reply> {
  const overdue = new AbortController();
  const cancel = request.clock.after(request.timeoutSeconds * 1000, () =>
    overdue.abort(new Error(`no answer within ${request.timeoutSeconds} s`)),
  );
  const signal = AbortSignal.any([request.signal, overdue.signal]);
  try {
    return await received(await answered(request, signal));
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    cancel();
  }
}

async function answered(
  { url, method, body, authorization, trust, addressRule }: ExchangeRequest,
  signal: AbortSignal,
): Promise<http.IncomingMessage> {
  const refusal = addressRule && refusedHost(url, addressRule);
  if (refusal !== undefined) throw new Error(`${refusal} ([agent] callback_networks)`);
  const lookup = addressRule && guardedLookup(addressRule);
  const { request } = url.startsWith('https:') ? https : http;
  return new Promise((resolve, reject) => {
    const headers = {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(authorization !== undefined && { authorization }),
    };
    request(url, { method, headers, agent: false, signal, ...(lookup && { lookup }), ...trust }, resolve)
      .on('error', reject)
      .end(body);
  });
}

async function received(message: http.IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_REPLY_BYTES) {
      message.destroy();
      throw new Error(`its reply is larger than ${LARGEST_REPLY_BYTES / 1_048_576} MiB`);
    }
    chunks.push(chunk);
  }
  return { status: message.statusCode ?? 0, bytes: Buffer.concat(chunks) };
}
