// Reads and parses request bodies, limited in size before anything is parsed.
import { changedNumber } from '../../lib/json/json-text.ts';
import { fault, reasonOf } from '../../model/faults.ts';
import { isJsonObject } from '../../model/json.ts';

/** Bytes in shared memory, so that passing them to a worker thread does not copy them. */
export type SharedBytes = Uint8Array<SharedArrayBuffer>;

export interface BodyLimit {
  readonly kibibytes: number;
  /** The option that sets the limit, named in the error. */
  readonly option: string;
}

/** The length of a body that is about to be read. */
export interface Expected {
  /** The largest number of bytes that the body can have: its declared length, or else the limit. */
  readonly largest: number;
  readonly isDeclared: boolean;
  readonly limit: BodyLimit;
}

/** `declaredLength`: the Content-Length header. Throws BodyTooLarge. */
export function expectedBody(declaredLength: string | null, limit: BodyLimit): Expected {
  const maximum = limit.kibibytes * 1024;
  if (declaredLength === null) return { largest: maximum, isDeclared: false, limit };
  if (Number(declaredLength) > maximum) throw tooLarge(limit);
  return { largest: Number(declaredLength), isDeclared: true, limit };
}

/**
 * Resolves with the bytes of the body; each byte is copied once. Memory for a declared length is allocated at once, and suffices
 * because the server passes on no more bytes than were declared. Rejects with BodyTooLarge as soon as the limit is exceeded.
 */
export async function readBytes(
  body: AsyncIterable<Uint8Array>,
  { largest, isDeclared, limit }: Expected,
): Promise<SharedBytes> {
  const bytes = isDeclared ? new Uint8Array(new SharedArrayBuffer(largest)) : undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    if (size + chunk.byteLength > largest) throw tooLarge(limit);
    if (bytes === undefined) chunks.push(chunk);
    else bytes.set(chunk, size);
    size += chunk.byteLength;
  }
  return bytes?.subarray(0, size) ?? joined(chunks, size);
}

export const tooLarge = ({ kibibytes, option }: BodyLimit) =>
  fault('BodyTooLarge', { limit: kibibytes, option });

function joined(chunks: readonly Uint8Array[], size: number): SharedBytes {
  const bytes = new Uint8Array(new SharedArrayBuffer(size));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

/** Returns the JSON value in `bytes`; undefined when they are empty. Throws InvalidBody or InexactNumber. */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) return undefined;
  const { text, value } = parsedText(bytes);
  const changed = changedNumber(text);
  if (changed === undefined) return value;
  throw fault('InexactNumber', { number: changed.slice(0, 40) });
}

function parsedText(bytes: Uint8Array): { readonly text: string; readonly value: unknown } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch (error) {
    // the parser's message quotes the invalid text, which may be a secret
    throw fault('InvalidBody', { reason: reasonOf(error).replace(/, (\.\.\.)?".*$/s, '') });
  }
}

/** Returns the media type, without parameters, of a Content-Type or of one element of an Accept header. */
export const mediaType = (text: string): string => (text.split(';', 1)[0] ?? '').trim().toLowerCase();

/**
 * Returns the values by name in the query and in a body that is a form or a JSON object; the body takes precedence.
 * Any other body is ignored: clients send bodies with requests that need none. Throws InvalidBody or InexactNumber, and
 * InvalidParameter for a name that occurs twice in the query or in the form.
 */
export function namedValues(
  bytes: Uint8Array,
  contentType: string,
  query: URLSearchParams,
): Record<string, unknown> {
  const given: Record<string, unknown> = onceEach(query);
  const type = mediaType(contentType);
  if (type === 'application/x-www-form-urlencoded') {
    return { ...given, ...onceEach(new URLSearchParams(Buffer.from(bytes).toString('utf8'))) };
  }
  if (type !== 'application/json' || bytes.byteLength === 0) return given;
  const body = parseJson(bytes);
  return isJsonObject(body) ? { ...given, ...body } : given;
}

/**
 * Returns the query overridden by the JSON object in the body, where openstacksdk sends the parameters of DELETE. Throws
 * InvalidBody or InexactNumber.
 */
export function withParametersOfBody(query: URLSearchParams, bytes: Uint8Array): URLSearchParams {
  const body = parseJson(bytes);
  if (!isJsonObject(body)) return query;
  const parameters = new URLSearchParams([...query].filter(([name]) => !Object.hasOwn(body, name)));
  for (const [name, value] of Object.entries(body)) {
    for (const each of [value ?? []].flat())
      parameters.append(name, typeof each === 'string' ? each : JSON.stringify(each));
  }
  return parameters;
}

/** Returns the values by name. Throws InvalidParameter when a name is given more than once. */
export function onceEach(given: URLSearchParams): Record<string, string> {
  const seen = new Set<string>();
  for (const name of given.keys()) {
    if (seen.has(name)) throw fault('InvalidParameter', { name, reason: 'it is given more than once' });
    seen.add(name);
  }
  return Object.fromEntries(given);
}
