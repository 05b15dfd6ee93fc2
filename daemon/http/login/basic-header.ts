// The Authorization header of HTTP Basic authentication (RFC 7617).
import { fault } from '../../model/faults.ts';

/** Returns the credentials. Throws AuthenticationRequired, AuthenticationUnsupported or AuthenticationMalformed. */
export function parseBasic(authorization: string | undefined): {
  readonly user: string;
  readonly password: string;
} {
  if (authorization === undefined) throw fault('AuthenticationRequired', {});
  const [, scheme = '', token = ''] = /^(\S*)\s*(.*)$/s.exec(authorization.trim()) ?? [];
  if (scheme.toLowerCase() !== 'basic') throw fault('AuthenticationUnsupported', { scheme });
  // bcrypt takes a NUL for the end and repeats the password: "secret" has the digest of "secret\0secret"
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
