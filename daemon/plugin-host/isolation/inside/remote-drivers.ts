// The drivers of nodes, as a plugin's process sees them: the process has their values, and their functions run in the daemon.
import { RecentMap } from '../../../lib/limits/recent-map.ts';
import { interfaceTypes, type InterfaceType } from '../../../model/machine/interface-types.ts';
import { isJsonObject } from '../../../model/json.ts';
import type { Driver } from '../../../plugin-api/index.ts';
import { type Place, rebuilt } from '../border/described.ts';
import type { ErrorTraffic } from '../border/error-traffic.ts';

/** Calls a function of the daemon on behalf of a task. */
export type Ask = (place: Place, ...given: readonly unknown[]) => Promise<never>;

/**
 * How many descriptions of drivers are kept; the oldest is dropped first. The daemon sends a description again when a call needs
 * it.
 */
export const MOST_DRIVERS = 200;

export class RemoteDrivers {
  readonly #descriptions = new RecentMap<number, Readonly<Record<string, unknown>>>(MOST_DRIVERS);
  readonly #errors: ErrorTraffic;

  constructor(errors: ErrorTraffic) {
    this.#errors = errors;
  }

  /** Keeps the description of a driver that came with a call. */
  learn(id: number, description: Readonly<Record<string, unknown>>): void {
    this.#descriptions.set(id, description);
  }

  driver(id: number | undefined, ask: Ask): Driver {
    const description = this.#descriptions.get(id ?? -1) ?? {};
    const getters = interfaceTypes.map((type) => [
      type,
      { enumerable: true, get: () => this.#interface(description[type], type, ask) },
    ]);
    return Object.freeze(
      Object.defineProperties({}, Object.fromEntries(getters) as PropertyDescriptorMap),
    ) as Driver;
  }

  #interface(description: unknown, type: InterfaceType, ask: Ask): unknown {
    if (isJsonObject(description) && 'unavailable' in description)
      throw this.#errors.decoded(description['unavailable']);
    // the first argument is the task, which the daemon has already
    return rebuilt(
      structuredClone(description),
      (place) =>
        async (_task, ...given) =>
          ask(['driver', type, ...place], ...given),
    );
  }
}
