// The Authorization header: HTTP Basic authentication (RFC 7617), or a token (Bearer, RFC 6750).
import { fault } from '../../model/faults.ts';

interface Authorization {
  /** Undefined for a token, which itself identifies the user. */
  readonly user: string | undefined;
  readonly password: string;
}

/** Throws AuthenticationRequired, AuthenticationUnsupported or AuthenticationMalformed. */
export function parseAuthorization(authorization: string | undefined): Authorization {
  if (authorization === undefined) throw fault('AuthenticationRequired', {});
  const [, scheme = '', token = ''] = /^(\S*)\s*(.*)$/s.exec(authorization.trim()) ?? [];
  if (scheme.toLowerCase() === 'bearer') return { user: undefined, password: token };
  if (scheme.toLowerCase() !== 'basic') throw fault('AuthenticationUnsupported', { scheme });
  // control characters are refused: bcrypt appends a NUL to a password and repeats both, so it takes "secret\0secret" for "secret"
  const [, user, password] = /^([^:\p{Cc}]*):(\P{Cc}*)$/u.exec(decodeBase64(token)) ?? [];
  if (user === undefined || password === undefined) throw fault('AuthenticationMalformed', {});
  return { user, password };
}

function decodeBase64(token: string): string {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(token)) throw fault('AuthenticationMalformed', {});
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(token, 'base64'));
  } catch {
    throw fault('AuthenticationMalformed', {});
  }
}
