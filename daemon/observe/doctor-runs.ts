// Runs `ironic-edge doctor` beside the daemon, for the page: in a process of its own, because probes read files and databases
// and would block the event loop. One run at a time.
import { execFile } from 'node:child_process';
import path from 'node:path';
import type { Clock } from '../lib/clock.ts';
import type { DoctorFinding, Examination } from '../model/doctor/doctor-finding.ts';
import { reasonOf } from '../model/faults.ts';

const COMMAND = path.join(import.meta.dirname, '../cli/ironic-edge');
const LIMIT_MILLISECONDS = 60_000;
const MOST_BYTES = 4_194_304;
/** What systemd tells the daemon alone. */
const OF_THE_DAEMON = /^(?:LISTEN_|NOTIFY_SOCKET$|WATCHDOG_)/;

export interface DoctorRunParts {
  /** The value of --config-file. */
  readonly configFile: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Pick<Clock, 'now'>;
  /** Ends a run when it aborts. */
  readonly stopping: AbortSignal;
}

export class DoctorRuns {
  readonly #parts: DoctorRunParts;
  #last: Examination | undefined;
  #isRunning = false;

  constructor(parts: DoctorRunParts) {
    this.#parts = parts;
  }

  /** The result of the last run; undefined before the first has ended. */
  get last(): Examination | undefined {
    return this.#last;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Begins a run unless one is under way. */
  begin(): void {
    const { configFile, environment, clock, stopping } = this.#parts;
    if (this.#isRunning || stopping.aborted) return;
    this.#isRunning = true;
    const words = ['doctor', '--all', '--format', 'json'];
    const options = {
      env: environmentOf(environment),
      signal: stopping,
      timeout: LIMIT_MILLISECONDS,
      killSignal: 'SIGKILL',
      maxBuffer: MOST_BYTES,
    } as const;
    const named = configFile === undefined ? [] : ['--config-file', configFile];
    execFile(COMMAND, [...words, ...named], options, (error, stdout, stderr) => {
      this.#isRunning = false;
      if (!stopping.aborted) this.#last = { at: clock.now(), ...resultOf(stdout, stderr || reasonOf(error)) };
    });
  }
}

const environmentOf = (environment: DoctorRunParts['environment']): Record<string, string | undefined> => ({
  PATH: process.env['PATH'],
  ...Object.fromEntries(Object.entries(environment).filter(([name]) => !OF_THE_DAEMON.test(name))),
});

/** The doctor also ends with an exit code when it has findings, so only its output tells whether it ran. */
function resultOf(stdout: string, reason: string): Pick<Examination, 'findings' | 'failure'> {
  try {
    return { findings: JSON.parse(stdout) as readonly DoctorFinding[], failure: undefined };
  } catch {
    return { findings: [], failure: reason.trim() };
  }
}
