// Failures on the wire: the error document in Ironic's double encoding.
import { writeFailure } from '../db/write-failure.ts';
import type { Logger } from '../lib/logger.ts';
import { Fault, fault } from '../model/faults.ts';

/** An answer before it becomes a response: `text` is JSON, null for none. */
export interface Answer {
  readonly status: number;
  readonly text: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** The answer for anything thrown. What is neither a Fault, nor the database's disk, nor a client that disconnected is a bug: logged with its stack, answered without it. */
export function faultAnswer(error: unknown, log: Logger, requestId: string): Answer {
  const expected = error instanceof Fault ? error : (writeFailure(error) ?? clientAbort(error));
  if (expected === undefined) log.error({ error, request_id: requestId }, 'request failed unexpectedly');
  const known = expected ?? fault('Internal', { request: requestId });
  const line = { request_id: requestId, code: known.code, reason: known.message };
  if (known.status >= 500) log.error(line, 'request failed');
  else log.info(line, 'request refused');
  return {
    status: known.status,
    text: JSON.stringify(errorBody(known)),
    headers: {
      'content-type': 'application/json',
      ...(known.status === 503 && { 'retry-after': '2' }),
      ...(known.status === 401 && { 'www-authenticate': 'Basic realm="Baremetal API"' }),
    },
  };
}

/** What reading a body throws when its connection ends. */
const clientAbort = (error: unknown): Fault | undefined =>
  error instanceof Error && error.message === 'aborted' && 'code' in error && error.code === 'ECONNRESET'
    ? fault('RequestAborted', {})
    : undefined;

function errorBody(known: Fault): object {
  const faultcode = known.status < 500 ? 'Client' : 'Server';
  // clients expect refusals of the body as such, and of the caller, without a wrapping
  if (known.code === 'BodyTooLarge' || known.code === 'BodyTooDeep')
    return { faultcode, faultstring: known.message };
  if (known.code.startsWith('Authentication'))
    return { error: { message: known.message, code: known.status } };
  return { error_message: JSON.stringify({ faultcode, faultstring: known.message, debuginfo: null }) };
}
