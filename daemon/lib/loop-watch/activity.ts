// The activity that the running code is part of: a request, a plugin operation or periodic work. The event loop
// watchdog reads it to name what blocks the loop.
import { AsyncLocalStorage } from 'node:async_hooks';

export type Activity = Readonly<Record<string, string>>;

const activities = new AsyncLocalStorage<Activity>();

/** Runs `work`, and all it awaits or starts, as `activity`. To nest activities: `{ ...currentActivity(), ... }`. */
export const during = <T>(activity: Activity, work: () => T): T => activities.run(activity, work);

/** Returns the current activity; empty outside of any. */
export const currentActivity = (): Activity => activities.getStore() ?? {};
