// JSON values as types.
import { boundedJson } from '../lib/json/json-text.ts';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the object that another service sent; undefined when the text is not a JSON object, or too large or deep for one. */
export function jsonObjectIn(bytes: Uint8Array): JsonObject | undefined {
  const value = boundedJson(bytes);
  return isJsonObject(value) ? value : undefined;
}
