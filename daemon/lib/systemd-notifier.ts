// Tells the service manager that the daemon is ready, alive or stopping (sd_notify(3)), on the connection that cli/with-notify
// passes as NOTIFY_FD.
import { writeSync } from 'node:fs';
import type { Clock } from './clock.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface SystemdNotifier {
  /** Reports that the daemon serves requests. From now on, also reports twice in each WATCHDOG_USEC that the daemon is alive. */
  ready(): void;
  stopping(): void;
}

/** Without NOTIFY_FD the notifier does nothing. */
export function systemdNotifier(environment: Environment, clock: Pick<Clock, 'after'>): SystemdNotifier {
  const descriptor = Number(environment['NOTIFY_FD'] ?? -1);
  const watchdogMilliseconds = Number(environment['WATCHDOG_USEC'] ?? 0) / 1000;
  const tell = (state: string) => {
    if (descriptor >= 0) send(descriptor, state);
  };
  const live = () => {
    tell('WATCHDOG=1\n');
    clock.after(watchdogMilliseconds / 2, live);
  };
  return {
    ready() {
      tell('READY=1\n');
      if (watchdogMilliseconds > 0) live();
    },
    stopping: () => tell('STOPPING=1\n'),
  };
}

/** Ignores the errors that occur while the service manager restarts or while its socket is full. */
function send(descriptor: number, state: string): void {
  try {
    writeSync(descriptor, state);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EAGAIN', 'ECONNREFUSED', 'ENOBUFS', 'ENOTCONN'].includes(code)) throw error;
  }
}
