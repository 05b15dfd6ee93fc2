// Logs failed logins with user and address, at a limited rate, so that guessing cannot fill the log.
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';

const PERIOD_MILLISECONDS = 60_000;
const LINES_A_PERIOD = 20;
const LONGEST_NAME = 100;

/** Returns a function that logs a failed login. The first line after a flood says how many failures were not logged. */
export function createFailedLogins({
  clock,
  log,
}: {
  readonly clock: Clock;
  readonly log: Logger;
}): (user: string, client: string | null) => void {
  let since = -Infinity;
  let failures = 0;
  return (user, client) => {
    const unlogged = Math.max(0, failures - LINES_A_PERIOD);
    const begins = clock.monotonic() - since >= PERIOD_MILLISECONDS;
    if (begins) since = clock.monotonic();
    failures = begins ? 1 : failures + 1;
    if (failures > LINES_A_PERIOD) return;
    const left = begins && unlogged > 0 ? { unlogged } : {};
    log.warn({ user: user.slice(0, LONGEST_NAME), client, ...left }, 'login failed');
  };
}
