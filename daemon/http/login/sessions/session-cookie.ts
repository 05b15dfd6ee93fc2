// The cookies of the page: the session's, and the one of a sign-in that is under way at a provider. Scripts cannot read them, and
// over TLS no other host or unencrypted page can set them (`__Host-`).

const VALUE = /^[A-Za-z0-9_-]+$/;

export type CookieName = 'ironic-edge-session' | 'ironic-edge-sign-in';

/** Whether the browser uses the page over TLS. */
interface Place {
  readonly isSecure: boolean;
}

const nameOf = (name: CookieName, { isSecure }: Place): string => (isSecure ? `__Host-${name}` : name);

/** `value`: base64url. Lax, not Strict: a link from elsewhere and the way back from a provider lead to the page of who is signed in. */
export function cookieText(
  name: CookieName,
  value: string,
  { isSecure, seconds }: Place & { readonly seconds: number },
): string {
  const flags = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return `${nameOf(name, { isSecure })}=${value}; Max-Age=${seconds}; ${flags}`;
}

/** Returns the text that makes the browser forget the cookie. */
export const noCookie = (name: CookieName, place: Place): string =>
  cookieText(name, '', { ...place, seconds: 0 });

/** Returns the value of the cookie; undefined if there is none, or more than one: then somebody else has set one of them. */
export function cookieIn(headers: Headers, name: CookieName, place: Place): string | undefined {
  const wanted = `${nameOf(name, place)}=`;
  const parts = (headers.get('cookie') ?? '').split(';').map((part) => part.trim());
  const values = parts.filter((part) => part.startsWith(wanted)).map((part) => part.slice(wanted.length));
  const [value, ...others] = values;
  return value !== undefined && others.length === 0 && VALUE.test(value) ? value : undefined;
}
