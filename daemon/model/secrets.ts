// Masking of secrets before anything leaves the daemon: API responses, logs, data for the agent and for hooks.
import type { Json, JsonObject } from './json.ts';

export const MASK = '******';

// A key is secret when its lower-cased name contains one of these (rest-api reference 6.4, oslo.utils' list).
const SECRET_KEY =
  /adminpass|admin_pass|auth_password|auth_token|chappassword|configdrive|encrypted_key|fernetkey|kg_key|new_pass|original_password|passphrase|password|private_key|rescue_password|secret|secret_uuid|snmp_auth_key|snmp_priv_key|sslkey|sys_pswd|token/i;
// most texts have no quotes
const HAS_QUOTE = /["']/;

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
  if (typeof value === 'string') return HAS_QUOTE.test(value) ? maskText(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(mask);
  return maskObject(value as JsonObject);
}

function maskObject(object: JsonObject): JsonObject {
  const safe: Record<string, Json> = { ...object };
  for (const [key, value] of Object.entries(object)) safe[key] = isSecretKey(key) ? MASK : mask(value);
  return safe;
}

/**
 * Masks quoted values after secret keys; a value whose closing quote is missing is masked to the end. The pattern finds
 * opening quotes only: one that finds the closing quote too backtracks, for minutes on a text made for it.
 */
function maskText(text: string): string {
  // the quotes may be escaped, as in JSON inside JSON
  const opening = /(?:password|passphrase|secret|token)(?:\\*["'])?\s*[=:]\s*(\\*)(["'])/gi;
  const parts: string[] = [];
  let copied = 0;
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const [{ length }, backslashes = '', quote = ''] = found;
    const start = found.index + length;
    const end = closingQuote(text, start, quote, backslashes.length);
    if (end === start) continue;
    parts.push(text.slice(copied, start), MASK);
    copied = end;
    opening.lastIndex = end;
  }
  return copied === 0 ? text : parts.join('') + text.slice(copied);
}

/**
 * Where the closing quote of a value begins, its backslashes included; the end of the text when there is none.
 * `backslashes` stand before the opening quote: 2^n - 1 in JSON that is quoted n times. A quote inside the value has
 * 2^n more for each backslash that escapes it or stands before it, an odd number of times; the closing quote has an
 * even number of them.
 */
function closingQuote(text: string, start: number, quote: string, backslashes: number): number {
  for (let at = text.indexOf(quote, start); at !== -1; at = text.indexOf(quote, at + 1)) {
    let before = 0;
    while (at - before > start && text[at - before - 1] === '\\') before += 1;
    if (before % (2 * (backslashes + 1)) === backslashes) return at - backslashes;
  }
  return text.length;
}
