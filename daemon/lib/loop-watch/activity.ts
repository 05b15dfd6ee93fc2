// The activity that the running code is part of: a request, a plugin operation or periodic work. The event loop
// watchdog reads it to name what blocks the loop.
import { AsyncLocalStorage } from 'node:async_hooks';

export type Activity = Readonly<Record<string, string>>;

/**
 * `activities.run(activity, work)` runs `work`, and all it awaits or starts, as `activity`. `activities.getStore()` returns the
 * current activity; undefined outside of any. To nest activities: `{ ...activities.getStore(), ... }`.
 */
export const activities = new AsyncLocalStorage<Activity>();
