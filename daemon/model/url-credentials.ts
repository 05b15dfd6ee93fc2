// Masks logins in URLs, as in http://user:password@images.example.com/disk.raw.
import type { Json } from './json.ts';
import { MASK } from './secrets.ts';

// Each attempt to match ends at the next slash at the latest, so matching takes linear time
const LOGIN = /:\/\/[^\s/\\?#"'<>]*@/g;

/** Returns a copy of `value` with the login in every URL masked, at every depth and within longer texts. */
export function maskUrlCredentials<T extends Json>(value: T): T {
  return mask(value) as T;
}

function mask(value: Json): Json {
  if (typeof value === 'string') return value.replace(LOGIN, `://${MASK}@`);
  if (Array.isArray(value)) return value.map(mask);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mask(inner)]));
}
