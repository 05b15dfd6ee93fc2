// One HTTP request and its reply: bounded in time and size, on a connection of its own, redirects not followed.
import http from 'node:http';
import https from 'node:https';
import { type AddressRule, guardedLookup, refusedHost } from './callback-networks.ts';
import type { Clock } from './clock.ts';

/** Whom to believe that he is the server; of no account for plain http. */
export interface Trust {
  /** The only certificates (PEM) that are believed; those that the system believes when there are none. */
  readonly ca?: string;
  readonly rejectUnauthorized: boolean;
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
}

export interface ExchangeRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** JSON. */
  readonly body?: string | Uint8Array;
  /** The header of that name. */
  readonly authorization?: string;
  readonly trust: Trust;
  /** Judges each address before a connection to it is begun; any will do unless given. */
  readonly addressRule?: AddressRule;
  readonly timeoutSeconds: number;
  readonly clock: Pick<Clock, 'after'>;
  readonly signal: AbortSignal;
}

export interface Reply {
  readonly status: number;
  readonly bytes: Buffer;
}

/** The logs of a ramdisk are the largest thing that is asked for. */
const LARGEST_REPLY_BYTES = 33_554_432;

/** Rejects with the reason when no complete reply came, and with the signal's own when it aborts. */
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
