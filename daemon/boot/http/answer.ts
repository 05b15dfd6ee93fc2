// Answers a request to the boot HTTP server with the content of the name that it asks for.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { canonicalIp } from '../../lib/network/ip.ts';
import { reasonOf } from '../../model/faults.ts';
import type { RecordBootEvent } from '../boot-event.ts';
import { failureText } from '../scripts/failure-reports.ts';
import { isOptional } from '../optional-files.ts';
import type { Served, Withheld } from '../served-files.ts';
import { notServedText, quoted, sentText, stoppedText, withheldText } from './event-texts.ts';
import { type HttpContent, openHttpContent } from './open-content.ts';
import { requestedName } from './requested-name.ts';
import { responseHead } from './response-head.ts';
import type { SendFile } from './send-file.ts';

export interface Answering {
  readonly find: (name: string, address: string) => Promise<Served | Withheld | undefined>;
  readonly sendFile: SendFile;
  readonly record: RecordBootEvent;
}

/** Returns a function that answers a request. Its promise never rejects. */
export function createAnswer(
  answering: Answering,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    const address = canonicalIp(request.socket.remoteAddress ?? '');
    const record = (text: string, failed?: true) =>
      answering.record({ hop: 'http', ...(address && { address }), text, ...(failed && { failed }) });
    try {
      const refused = refusalOf(request);
      if (refused === undefined) await serveName(answering, { request, response, record, address });
      else refuse(response, refused);
    } catch (error) {
      response.destroy();
      record(`could not be answered: ${reasonOf(error)}`, true);
    }
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The client's address; undefined when it has disconnected. */
  readonly address: string | undefined;
  readonly record: (text: string, failed?: true) => void;
}

/**
 * Returns the status with which the request is refused, or undefined if it is not. Only the methods GET and HEAD are allowed. A
 * request with a body is refused, because the server would have to read the body.
 */
function refusalOf({ method, headers }: IncomingMessage): 405 | 413 | undefined {
  if (method !== 'GET' && method !== 'HEAD') return 405;
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers;
  return length === '0' && encoding === undefined ? undefined : 413;
}

function refuse(response: ServerResponse, status: 404 | 405 | 413): void {
  response.writeHead(status, {
    'Content-Length': 0,
    ...(status === 405 && { allow: 'GET, HEAD' }),
    // the rest of the request's body is not read
    ...(status !== 404 && { connection: 'close' }),
  });
  response.end();
}

async function serveName(answering: Answering, exchange: Exchange): Promise<void> {
  const { request, response, record, address } = exchange;
  const name = requestedName(request.url ?? '');
  const served =
    name === undefined || address === undefined ? undefined : await answering.find(name, address);
  if (name === undefined || served === undefined) {
    if (name === undefined || !isOptional(name)) record(notServedText(name), true);
    return refuse(response, 404);
  }
  if (served.kind === 'withheld') {
    record(withheldText(name), true);
    return refuse(response, 404);
  }
  const content = await openHttpContent(served).catch((error: unknown) => {
    record(`asked for ${quoted(name)}, which cannot be read: ${reasonOf(error)}`, true);
  });
  if (content === undefined) return refuse(response, 404);
  try {
    await sendContent(answering, exchange, name, content);
  } finally {
    await content.close();
  }
}

async function sendContent(
  { sendFile }: Answering,
  { request, response, record, address = 'a client that has disconnected' }: Exchange,
  name: string,
  content: HttpContent,
): Promise<void> {
  const { source, size } = content;
  const { method, headers } = request;
  const { status, headers: answered, part } = responseHead({ method, headers, name }, content);
  response.writeHead(status, answered);
  const total = part.end - part.start;
  const sent = source.kind === 'file' && total > 0 ? await sendFile(response, source, part) : total;
  if (sent < total) return record(stoppedText(name, sent, total), true);
  response.end(source.kind === 'bytes' ? source.bytes.subarray(part.start, part.end) : undefined);
  // a BMC reads an image in thousands of parts: only the part that ends the content makes an event
  if (total === 0 || part.end !== size) return;
  const failure = failureText(name);
  if (failure === undefined) record(sentText({ name, bytes: total, skipped: part.start, address }));
  else record(failure, true);
}
