// Why a request got no complete reply, in words for the operator.

export class HttpFailure extends Error {
  /** The part of the message that does not name the request. */
  readonly reason: string;

  /** `url` is named without user, password and query, which may hold secrets. */
  constructor(method: string, url: URL, cause: unknown) {
    const reason = reasonIn(cause);
    super(`${method} ${url.origin}${url.pathname}: ${reason}`, { cause });
    this.name = 'HttpFailure';
    this.reason = reason;
  }
}

/** The reason alone, for a sentence that names the request itself. */
export function failureReason(error: unknown): string {
  if (error instanceof HttpFailure) return error.reason;
  return error instanceof Error ? error.message : String(error);
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
