// What the hardware types and their nodes need.
import type { Config } from '../../config/sections/core-sections.ts';
import type { Database } from '../../db/database.ts';
import type { WatchedClock } from '../../lib/watched-clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Registry } from '../../plugin-host/registry.ts';

export interface DriverServices {
  readonly db: Database;
  readonly config: Config;
  readonly registry: Registry;
  readonly clock: WatchedClock;
  readonly log: Logger;
  readonly host: string;
}
