// Opens the database; each change that clients may see becomes an event.
import type { Config } from '../../config/sections/core-sections.ts';
import { fenceCopy, hostOf } from '../../db/copies/fence.ts';
import { createDatabase, type Database } from '../../db/database.ts';
import { timestamp } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { WatchedClock } from '../../lib/watched-clock.ts';
import { announcedDatabase } from './announced-database.ts';
import { EventLog } from './event-log.ts';

export function openEventfulDatabase(
  config: Config,
  clock: WatchedClock,
  log: Logger,
): { readonly events: EventLog; readonly db: Database } {
  const stored = createDatabase(config.database.path, (warning) => log.warn({ warning }, 'database'));
  const copied = fenceCopy(stored, hostOf(config.database.path), timestamp(clock.now()));
  if (copied !== undefined) log.warn({ reason: copied }, 'the database is a copy');
  const events = new EventLog(stored, { clock, host: config.DEFAULT.host, keep: config.events.keep });
  return { events, db: announcedDatabase(stored, events) };
}
