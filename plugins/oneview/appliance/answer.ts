// The JSON in an answer of the appliance, or of an iLO.
import { type HttpReply, isJsonObject, type Json, type JsonObject } from '#plugin-api';

/** The JSON object in an answer; undefined when the answer is empty, cut off, or something else, such as the page of a proxy. */
export function answerBody({ bytes }: Pick<HttpReply, 'bytes'>): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the text of a member; empty when the member is absent or is not a string. */
export function textOf(body: JsonObject, name: string): string {
  const value = body[name];
  return typeof value === 'string' ? value : '';
}

/** Returns the objects in a list; none when the value is not a list. */
export const objectsIn = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

/**
 * The answer to a request is no answer of the appliance: it is not JSON, or not what was asked for. So nobody knows whether the
 * appliance got the request. The message continues a sentence: `its answer is not JSON`.
 */
export class StrangeAnswer extends Error {
  override readonly name = 'StrangeAnswer';
}
