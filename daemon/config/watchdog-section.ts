// The watch over the daemon's event loop.
import { integer, seconds, section } from './typed-options.ts';

export const watchdogSection = section({
  warning_milliseconds: integer(
    500,
    { minimum: 0, maximum: 3_600_000 },
    'A blocked event loop is logged, with what blocked it, when no request could be answered for longer than this many milliseconds. 0: never.',
  ),
  timeout: seconds(
    30,
    0,
    'The time in seconds after which a daemon whose event loop stays blocked kills itself (SIGKILL), with the reason on standard error, so that its service manager starts it again. 0: never, as a debugger needs it.',
  ),
});
