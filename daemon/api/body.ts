// Request bodies: capped in size and depth before anything is parsed.
import { fault, reasonOf } from '../model/faults.ts';
import { isJsonObject } from '../model/json.ts';

/**
 * All bytes of the body. Throws BodyTooLarge as soon as the limit is passed, chunked or not. The server lets no more
 * through than a declared length, so that such a body can be read at once, which is faster.
 */
export async function readBytes(
  request: Request,
  limit: { readonly kibibytes: number; readonly option: string },
): Promise<Uint8Array> {
  const maximum = limit.kibibytes * 1024;
  const tooLarge = () => fault('BodyTooLarge', { limit: limit.kibibytes, option: limit.option });
  const declared = request.headers.get('content-length');
  if (Number(declared) > maximum) throw tooLarge();
  if (declared !== null) return new Uint8Array(await request.arrayBuffer());
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
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
    // the parser quotes what it stumbled over, which may be a secret
    throw fault('InvalidBody', { reason: reasonOf(error).replace(/, (\.\.\.)?".*$/s, '') });
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
  if (/^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType)) {
    return { ...given, ...Object.fromEntries(new URLSearchParams(Buffer.from(bytes).toString('utf8'))) };
  }
  if (!/^application\/json\s*(;|$)/i.test(contentType) || bytes.byteLength === 0) return given;
  const body = parseJson(bytes);
  return isJsonObject(body) ? { ...given, ...body } : given;
}
