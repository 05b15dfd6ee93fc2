// Why a request got no complete reply: a kind for the program, and words for the operator.

/**
 * - `unreachable`: no connection was made;
 * - `certificate`: the certificate of the server is not accepted;
 * - `tls`: any other failure of TLS;
 * - `overdue`: the time limit of the request passed;
 * - `closed`: the connection ended before the reply was complete;
 * - `other`: anything else, such as a malformed reply, a reply that is too large, or a client that was closed.
 */
export type HttpFailureKind = 'unreachable' | 'certificate' | 'tls' | 'overdue' | 'closed' | 'other';

export class HttpFailure extends Error {
  readonly kind: HttpFailureKind;
  /** The part of the message that does not name the request. */
  readonly reason: string;

  /** The message names `url` without user, password and query, which may hold secrets. */
  constructor(method: string, url: URL, cause: unknown) {
    const reason = reasonIn(cause);
    super(`${method} ${url.origin}${url.pathname}: ${reason}`, { cause });
    this.name = 'HttpFailure';
    this.kind = kindOf(cause);
    this.reason = reason;
  }
}

/** Returns the reason without the request, for a message that already says what was requested. */
export function failureReason(error: unknown): string {
  if (error instanceof HttpFailure) return error.reason;
  return error instanceof Error ? error.message : String(error);
}

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const CLOSED = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);
/** Parts of the codes that Node.js and OpenSSL give when they verify a certificate. */
const VERIFICATION = ['CERT', 'SIGNATURE', 'INVALID_CA', 'INVALID_PURPOSE', 'HOSTNAME_MISMATCH'];

function kindOf(cause: unknown): HttpFailureKind {
  if (cause instanceof DOMException && cause.name === 'TimeoutError') return 'overdue';
  const { code: given = '' } = cause as Details;
  const code = String(given);
  if (UNREACHABLE.has(code)) return 'unreachable';
  if (CLOSED.has(code)) return 'closed';
  if (code.startsWith('ERR_SSL_')) return 'tls';
  if (VERIFICATION.some((part) => code.includes(part))) return 'certificate';
  return code.startsWith('ERR_TLS_') ? 'tls' : 'other';
}

interface Details {
  readonly message?: unknown;
  readonly code?: unknown;
  /** Set by OpenSSL. */
  readonly reason?: unknown;
  readonly errors?: readonly unknown[];
}

function reasonIn(cause: unknown): string {
  const { message, code = '', reason, errors = [] } = cause as Details;
  const kind = String(code);
  if (typeof reason === 'string' && kind.startsWith('ERR_SSL_')) return `TLS failed: ${reason}`;
  if (kind === 'UND_ERR_HEADERS_OVERFLOW') return 'the headers of its reply are larger than 16 KiB';
  if (kind === 'UND_ERR_SOCKET') return 'it closed the connection before its reply was complete';
  if (kind === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH')
    return 'its reply does not have the length that its header says';
  // one error for each address of a host name
  if (message === '') return [...new Set(errors.map(reasonIn))].join(', ');
  return String(message);
}
