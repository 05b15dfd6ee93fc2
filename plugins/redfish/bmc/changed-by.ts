// Whether a resource shows a change.
import { type Json, isJsonObject } from '#plugin-api';

/**
 * Whether `now` has every property of `change`, at every depth, with the same value. An absent property counts as null. Annotations
 * such as `@Redfish.SettingsApplyTime` do not count, because a resource does not show them.
 */
export function changedBy(change: Json, now: Json | undefined): boolean {
  if (!isJsonObject(change)) return JSON.stringify(change) === JSON.stringify(now ?? null);
  return Object.entries(change).every(
    ([name, value]) => name.startsWith('@') || changedBy(value, isJsonObject(now) ? now[name] : undefined),
  );
}
