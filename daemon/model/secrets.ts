// Masking of secrets before anything leaves the daemon: API responses, logs, data for the agent and for hooks.
import type { Json, JsonObject } from './json.ts';

export const MASK = '******';

// A key is secret when its lower-cased name contains one of these (rest-api reference 6.4, oslo.utils' list).
const SECRET_KEY = new RegExp(
  [
    'adminpass',
    'admin_pass',
    'auth_password',
    'auth_token',
    'chappassword',
    'configdrive',
    'encrypted_key',
    'fernetkey',
    'kg_key',
    'new_pass',
    'original_password',
    'passphrase',
    'password',
    'private_key',
    'rescue_password',
    'secret',
    'secret_uuid',
    'snmp_auth_key',
    'snmp_priv_key',
    'sslkey',
    'sys_pswd',
    'token',
  ].join('|'),
  'i',
);
// a quoted value after a secret key; the quotes may be escaped, as in JSON inside JSON
const SECRET_TEXT =
  /((?:password|passphrase|secret|token)(?:\\*["'])?\s*[=:]\s*(\\*["']))(?:(?!\2)(?:\\[^]|[^\\]))+\2/gi;

// most texts have no quotes
const MAY_TELL = /["']/;

export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key);
}

/** JSON of a field's value for messages, at most 120 characters, with secrets masked; the field's name counts. */
export function shownValue(name: string, value: unknown): string {
  const text: string | undefined = JSON.stringify(maskObject({ [name]: value as Json })[name]);
  return text?.slice(0, 120) ?? 'nothing';
}

/** A copy of `value` with every secret replaced at every depth, lists included. */
export function maskSecrets<T extends Json>(value: T): T {
  return mask(value) as T;
}

function mask(value: Json): Json {
  if (typeof value === 'string')
    return MAY_TELL.test(value) ? value.replace(SECRET_TEXT, `$1${MASK}$2`) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(mask);
  return maskObject(value as JsonObject);
}

function maskObject(object: JsonObject): JsonObject {
  const safe: Record<string, Json> = { ...object };
  for (const [key, value] of Object.entries(object)) safe[key] = isSecretKey(key) ? MASK : mask(value);
  return safe;
}
