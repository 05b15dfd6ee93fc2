// Error responses. Most are JSON encoded twice, as Ironic encodes them; see `errorDocument`.
import { writeFailure } from '../db/write-failure.ts';
import type { Logger } from '../lib/logger.ts';
import { errorDocument } from '../model/error-document.ts';
import { Fault, fault } from '../model/faults.ts';
import type { Answer } from './answer.ts';

/**
 * Returns the answer for anything that was thrown. An error that is neither a Fault, nor a failed write to the database, nor a
 * disconnected client is a bug: its stack goes to the log, not to the client.
 */
export function faultAnswer(
  error: unknown,
  log: Logger,
  requestId: string,
): Answer & { readonly content: string } {
  const expected = error instanceof Fault ? error : (writeFailure(error) ?? clientAbort(error));
  if (expected === undefined) log.error({ error, request_id: requestId }, 'request failed unexpectedly');
  const known = expected ?? fault('Internal', { request: requestId });
  const line = { request_id: requestId, code: known.code, reason: known.message };
  if (known.status >= 500) log.error(line, 'request failed');
  else log.info(line, 'request refused');
  return {
    status: known.status,
    content: JSON.stringify(errorDocument(known)),
    headers: {
      'content-type': 'application/json',
      ...(known.status === 426 && { upgrade: 'websocket', connection: 'upgrade' }),
      ...(known.code === 'TooManyWrongPasswords' && { 'retry-after': '60' }),
      ...(known.status === 503 && { 'retry-after': '2' }),
      ...(known.status === 401 && { 'www-authenticate': 'Basic realm="Baremetal API"' }),
    },
  };
}

/** Returns a fault if the client disconnected while its request body was read; undefined for any other error. */
const clientAbort = (error: unknown): Fault | undefined =>
  error instanceof Error && error.message === 'aborted' && 'code' in error && error.code === 'ECONNRESET'
    ? fault('RequestAborted', {})
    : undefined;
