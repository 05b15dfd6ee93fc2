// Masks secrets in API responses, events, logs, and the data for the agent and for hooks.
import type { Json, JsonObject } from './json.ts';

export const MASK = '******';

// A key is secret when its name contains one of these words of oslo.utils, in any case. `maskText` has a shorter list of its own.
const SECRET_KEY =
  /adminpass|admin_pass|auth_password|auth_token|chappassword|configdrive|encrypted_key|fernetkey|kg_key|new_pass|original_password|passphrase|password|private_key|rescue_password|secret|secret_uuid|snmp_auth_key|snmp_priv_key|sslkey|sys_pswd|token/i;
// a quick check, because most texts have no quotes
const HAS_QUOTE = /["']/;

export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key);
}

/**
 * Returns a field's value as JSON for messages, cut to 120 characters, with its secrets masked. If the name is a secret key, the
 * whole value is masked.
 */
export function shownValue(name: string, value: unknown): string {
  const text: string | undefined = JSON.stringify(maskObject({ [name]: value as Json })[name]);
  return text?.slice(0, 120) ?? 'nothing';
}

/** Returns a copy of `value` with all secrets masked, at every depth and in lists. */
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
 * Masks each quoted value after a key that ends in one of the words in `opening`. A value without a closing quote is masked to the
 * end of the text. The pattern matches opening quotes only: one that also matched closing quotes would backtrack for minutes on a
 * malicious text.
 */
function maskText(text: string): string {
  // the quotes may be escaped, as in JSON inside JSON
  const opening =
    /(?:adminpass|admin_pass|configdrive|encrypted_key|fernetkey|kg_key|new_pass|passphrase|password|private_key|secret|secret_uuid|snmp_auth_key|snmp_priv_key|sslkey|sys_pswd|token)(?:\\*["'])?\s*[=:]\s*(\\*)(["'])/gi;
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
 * Returns the index of a value's closing quote, or of the backslashes before it; the end of the text if there is no closing
 * quote. In JSON that was encoded n times as a JSON string, 2^n - 1 backslashes precede each quote (`backslashes`), and each
 * backslash of the value itself is written as 2^n backslashes. If the value has an even number of backslashes before the quote,
 * the quote closes the value; if the number is odd, the last backslash escapes the quote.
 */
function closingQuote(text: string, start: number, quote: string, backslashes: number): number {
  for (let at = text.indexOf(quote, start); at !== -1; at = text.indexOf(quote, at + 1)) {
    let before = 0;
    while (at - before > start && text[at - before - 1] === '\\') before += 1;
    if (before % (2 * (backslashes + 1)) === backslashes) return at - backslashes;
  }
  return text.length;
}
