// Request bodies: capped in size and depth before anything is parsed.
import { fault, reasonOf } from '../model/faults.ts';
import { isJsonObject } from '../model/json.ts';

/** All bytes of the body. Throws BodyTooLarge as soon as the limit is passed, chunked or not. */
export async function readBytes(
  { headers, body }: { readonly headers: Headers; readonly body: AsyncIterable<Uint8Array> },
  limit: { readonly kibibytes: number; readonly option: string },
): Promise<Uint8Array> {
  const maximum = limit.kibibytes * 1024;
  const tooLarge = () => fault('BodyTooLarge', { limit: limit.kibibytes, option: limit.option });
  if (Number(headers.get('content-length') ?? 0) > maximum) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maximum) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** The JSON value in `bytes`; undefined when there are none. Throws InvalidBody. */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw fault('InvalidBody', { reason: reasonOf(error) });
  }
}

/**
 * Named arguments: from the query, a form, or a JSON object; the body wins. A body that is neither form nor JSON object
 * is ignored, as clients send such with empty requests.
 */
export function parseArguments(
  bytes: Uint8Array,
  contentType: string,
  query: URLSearchParams,
): Record<string, unknown> {
  const given: Record<string, unknown> = Object.fromEntries(query);
  if (contentType.startsWith('application/x-www-form-urlencoded')) {
    return { ...given, ...Object.fromEntries(new URLSearchParams(Buffer.from(bytes).toString('utf8'))) };
  }
  if (!/^application\/json\s*(;|$)/.test(contentType) || bytes.byteLength === 0) return given;
  const body = parseJson(bytes);
  return isJsonObject(body) ? { ...given, ...body } : given;
}
