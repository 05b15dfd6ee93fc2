// UUIDs as the API accepts them.

const CANONICAL = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns the canonical lower-case form; undefined if `text` is not a UUID (hyphens, braces and urn:uuid: are optional). */
export function parseUuid(text: string): string | undefined {
  if (CANONICAL.test(text)) return text.toLowerCase();
  const bare = text
    .replace(/^urn:uuid:/i, '')
    .replace(/^\{(.*)\}$/, '$1')
    .replaceAll('-', '');
  if (!/^[0-9a-f]{32}$/i.test(bare)) return undefined;
  return bare.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
