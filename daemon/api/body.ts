// Request bodies: capped in size and depth before anything is parsed.
import { changedNumber } from '../lib/json-numbers.ts';
import { fault, reasonOf } from '../model/faults.ts';
import { isJsonObject } from '../model/json.ts';

/** Bytes in memory that threads share, so that handing them to a worker copies nothing. */
export type SharedBytes = Uint8Array<SharedArrayBuffer>;

export interface BodyLimit {
  readonly kibibytes: number;
  /** Named in the refusal. */
  readonly option: string;
}

/** The most bytes that the body can have: its declared length, or the limit. Throws BodyTooLarge. */
export function largestBody(declaredLength: string | null | undefined, limit: BodyLimit): number {
  const maximum = limit.kibibytes * 1024;
  if (declaredLength === null || declaredLength === undefined) return maximum;
  if (Number(declaredLength) > maximum) throw tooLarge(limit);
  return Number(declaredLength);
}

/**
 * All bytes of the body, each copied once. The server lets no more through than a declared length, so that its memory
 * is allocated at once. Throws BodyTooLarge as soon as the limit is passed.
 */
export async function readBytes(
  body: AsyncIterable<Uint8Array>,
  declaredLength: string | null | undefined,
  limit: BodyLimit,
): Promise<SharedBytes> {
  const largest = largestBody(declaredLength, limit);
  const isDeclared = typeof declaredLength === 'string';
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

const tooLarge = ({ kibibytes, option }: BodyLimit) => fault('BodyTooLarge', { limit: kibibytes, option });

function joined(chunks: readonly Uint8Array[], size: number): SharedBytes {
  const bytes = new Uint8Array(new SharedArrayBuffer(size));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

/** The JSON value in `bytes`; undefined when there are none. Throws InvalidBody or InexactNumber. */
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
    // the parser quotes what it stumbled over, which may be a secret
    throw fault('InvalidBody', { reason: reasonOf(error).replace(/, (\.\.\.)?".*$/s, '') });
  }
}

/** What a Content-Type, or one part of an Accept header, names: without parameters. */
export const mediaType = (text: string): string => (text.split(';', 1)[0] ?? '').trim().toLowerCase();

/**
 * Named arguments: from the query, a form, or a JSON object; the body wins. A body that is neither form nor JSON object
 * is ignored, as clients send such with empty requests. Throws InvalidBody, and InvalidParameter for an argument that
 * the query or the form gives twice.
 */
export function parseArguments(
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

/** The query, and over it a JSON object that the body holds: openstacksdk writes the parameters of DELETE there. */
export function withParametersOfBody(query: URLSearchParams, bytes: Uint8Array): URLSearchParams {
  const body = parseJson(bytes);
  if (!isJsonObject(body)) return query;
  const parameters = new URLSearchParams(query);
  for (const [name, value] of Object.entries(body)) {
    parameters.delete(name);
    for (const each of [value ?? []].flat())
      parameters.append(name, typeof each === 'string' ? each : JSON.stringify(each));
  }
  return parameters;
}

/** The values by name. Throws InvalidParameter when a name is given more than once. */
export function onceEach(given: URLSearchParams): Record<string, string> {
  const seen = new Set<string>();
  for (const name of given.keys()) {
    if (seen.has(name)) throw fault('InvalidParameter', { name, reason: 'it is given more than once' });
    seen.add(name);
  }
  return Object.fromEntries(given);
}
