// The Authorization header: HTTP Basic authentication (RFC 7617), or a token (Bearer, RFC 6750).
import { fault } from '../../model/faults.ts';

export interface Authorization {
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
  return basicLogin(decodeBase64(token));
}

function basicLogin(text: string): Authorization {
  const [, user = '', password = ''] = /^([^:]*):(.*)$/s.exec(text) ?? fail();
  return isLogin({ user, password }) ? { user, password } : fail();
}

const fail = (): never => {
  throw fault('AuthenticationMalformed', {});
};

/**
 * Whether these can be the user and the password of a login. Control characters are refused: bcrypt appends a NUL to a password and
 * repeats both, so it takes "secret\0secret" for "secret".
 */
export const isLogin = ({ user, password }: { readonly user: string; readonly password: string }): boolean =>
  !/[:\p{Cc}]/u.test(user) && !/\p{Cc}/u.test(password);

function decodeBase64(token: string): string {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(token)) fail();
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(token, 'base64'));
  } catch {
    return fail();
  }
}
