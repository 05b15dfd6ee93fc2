// What the running code works on: a request, an operation of a plugin, periodic work. The watch over the event loop
// reads it to name what blocks the loop.
import { AsyncLocalStorage } from 'node:async_hooks';

export type Activity = Readonly<Record<string, string>>;

const activities = new AsyncLocalStorage<Activity>();

/** Runs `work`, and everything that it awaits or starts, as `activity`. Part of a larger one: `{ ...currentActivity(), ... }`. */
export const during = <T>(activity: Activity, work: () => T): T => activities.run(activity, work);

/** Empty outside of every activity. */
export const currentActivity = (): Activity => activities.getStore() ?? {};
