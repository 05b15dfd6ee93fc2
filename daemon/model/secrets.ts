// Masks secrets in API responses, events, logs, and the data for the agent and for hooks: values of secret keys, and secrets that
// are known by their place, such as the login in a URL, a kernel parameter, or the value of a setting with a secret name.
import type { Json, JsonObject } from './json.ts';

export const MASK = '******';

// A key is secret when its name contains one of these words of oslo.utils, in any case. `maskText` has a shorter list of its own.
const SECRET_KEY =
  /adminpass|admin_pass|auth_password|auth_token|authorization|chappassword|configdrive|encrypted_key|fernetkey|kg_key|new_pass|original_password|passphrase|password|private_key|rescue_password|secret|secret_uuid|snmp_auth_key|snmp_priv_key|sslkey|sys_pswd|token/i;
// quick checks, because most texts have no quotes, URLs and parameters
const HAS_QUOTE = /["']/;
const HAS_PARAMETER = /=\S/;
const HAS_LOGIN = /:\/\/[^\s/]*@/;
// In http://user:password@host/. Each attempt to match ends at the next slash at the latest, so matching takes linear time
const LOGIN = /:\/\/[^\s/\\?#"'<>]*@/g;
// In `quiet rd.password=x` or `?sig=x&y`. The length of names is limited, so matching takes linear time
const PARAMETER = /([\w.-]{1,32})=([^\s"'&;<>]+)/g;
const SECRET_PARAMETER = /passwd|rootpw|signature|^sig$/i;
/** The keys of objects that name what `value` beside them is for: a BIOS setting, a field that a rule sets. */
const NAMING_KEYS = ['name', 'key', 'path', 'setting', 'attribute'];

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
  if (typeof value === 'string') return maskString(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return maskList(value);
  return maskObject(value as JsonObject);
}

function maskObject(object: JsonObject): JsonObject {
  const safe: Record<string, Json> = { ...object };
  const isNamed = 'value' in object && NAMING_KEYS.some((key) => isSecretName(object[key]));
  for (const [key, value] of Object.entries(object))
    safe[key] = isSecretKey(key) || (isNamed && key === 'value') ? MASK : mask(value);
  return safe;
}

const isSecretName = (name: Json | undefined): boolean => typeof name === 'string' && isSecretKey(name);

/** The arguments of a rule's action may be a list: the path of a field, and its value. */
function maskList(list: readonly Json[]): Json {
  const [first] = list;
  const isOfPath = typeof first === 'string' && first.startsWith('/') && isSecretKey(first);
  return list.map((value, index) => (isOfPath && index > 0 ? MASK : mask(value)));
}

function maskString(text: string): string {
  const quoted = HAS_QUOTE.test(text) ? maskText(text) : text;
  const linked = HAS_LOGIN.test(quoted) ? quoted.replace(LOGIN, `://${MASK}@`) : quoted;
  if (!HAS_PARAMETER.test(linked)) return linked;
  return linked.replace(PARAMETER, (whole, name: string) =>
    isSecretKey(name) || SECRET_PARAMETER.test(name) ? `${name}=${MASK}` : whole,
  );
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
