// Reads the argument `settings` of steps.
import { fault, isJsonObject, type Json, type JsonObject } from '#plugin-api';

/** Throws InvalidParameter unless `settings` is a list of one or more objects. */
export function settingsIn({ settings }: JsonObject, expected: string): readonly JsonObject[] {
  const list = Array.isArray(settings) ? (settings as readonly Json[]) : [];
  if (list.length > 0 && list.every(isJsonObject)) return list;
  throw invalidSettings(`${JSON.stringify(settings)}; expected a list of ${expected}`);
}

export const invalidSettings = (reason: string) => fault('InvalidParameter', { name: 'settings', reason });
