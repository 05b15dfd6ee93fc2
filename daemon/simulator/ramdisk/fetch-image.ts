// Downloads an image as the agent does, verifies it, and discards it.
import { createHash } from 'node:crypto';
import { OWN_CONNECTION } from '../own-connection.ts';
import { reasonOf } from '../../model/faults.ts';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';

/**
 * `parameters`: the parameters of the agent command that executes the deploy step `write_image`. Resolves to the reason why the
 * image cannot be written, or to undefined when its download has the expected checksum.
 */
export async function imageFailure(parameters: JsonObject, gone: AbortSignal): Promise<string | undefined> {
  const {
    urls,
    os_hash_algo: algorithm,
    os_hash_value: expected,
  } = member(member(member(parameters, 'step'), 'args'), 'image_info');
  const url = Array.isArray(urls) ? String(urls[0]) : '';
  try {
    const digest = await digestOf(url, typeof algorithm === 'string' ? algorithm : 'sha256', gone);
    if (digest === expected) return undefined;
    return `the checksum of ${url} is ${digest}, expected ${JSON.stringify(expected)}`;
  } catch (error) {
    return `${url} cannot be downloaded: ${reasonOf(error)}`;
  }
}

function member(value: JsonObject, name: string): JsonObject {
  const found: Json | undefined = value[name];
  return isJsonObject(found) ? found : {};
}

async function digestOf(url: string, algorithm: string, signal: AbortSignal): Promise<string> {
  const hash = createHash(algorithm);
  const answer = await fetch(url, { headers: OWN_CONNECTION, signal });
  if (answer.status !== 200 || answer.body === null) throw new Error(`HTTP status ${answer.status}`);
  for await (const piece of answer.body) hash.update(piece as Uint8Array);
  return hash.digest('hex');
}
