// The watchdog of the daemon's event loop.
import { integer, seconds, section } from './typed-options.ts';

export const watchdogSection = section({
  warning_milliseconds: integer(
    500,
    { minimum: 0, maximum: 3_600_000 },
    'The time in milliseconds for which the event loop may be blocked before this is logged, with the cause. No request is answered meanwhile. 0: never logged.',
  ),
  timeout: seconds(
    30,
    0,
    'The time in seconds after which a daemon with a blocked event loop kills itself (SIGKILL), with the reason on standard error, so that the service manager restarts it. 0: never; use this with a debugger.',
  ),
});
