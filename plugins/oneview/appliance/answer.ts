// The JSON in an answer of the appliance.
import { type HttpReply, isJsonObject, type Json, type JsonObject } from '#plugin-api';

/** The JSON object in an answer; empty when the answer has none. */
export type AnswerBody = JsonObject & { readonly errorCode?: Json; readonly message?: Json };

export function bodyOf({ bytes }: Pick<HttpReply, 'bytes'>): AnswerBody {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Returns the text of a member; empty when the member is absent or is not a string. */
export function textOf(body: JsonObject, name: string): string {
  const value = body[name];
  return typeof value === 'string' ? value : '';
}
