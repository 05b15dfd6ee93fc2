// The probes of the doctor, which look for problems, and the findings that they report.
import type { LoadedConfig } from '../config/load.ts';
import type { Tables } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { DoctorFinding } from '../model/doctor/doctor-finding.ts';

export interface ProbeFinding {
  readonly severity: Exclude<DoctorFinding['severity'], 'none'>;
  readonly saw: string;
  readonly means: string;
  /** What to do: if possible, a command or a line for the configuration file. */
  readonly fix: string;
  /** The UUID of the node that the finding is about, if it is about one. */
  readonly node?: string;
}

/** The host on which the daemon runs or is to run. */
export interface ExaminedSite extends Pick<LoadedConfig, 'config' | 'file' | 'warnings'> {
  readonly setAside: readonly { readonly folder: string; readonly reason: string }[];
  /** Reads from the database. Returns undefined while there is no readable database. */
  readonly read: <T>(read: (tables: Tables) => T) => T | undefined;
  readonly clock: Pick<Clock, 'now'>;
  /** Aborts when the probe has taken too long. */
  readonly signal: AbortSignal;
}

export interface Probe {
  readonly id: string;
  /** What the probe looks at. The list of probes shows it. */
  readonly about: string;
  run(site: ExaminedSite): readonly ProbeFinding[] | Promise<readonly ProbeFinding[]>;
}

/** Returns the finding unless `isWell`. */
export const unless = (isWell: boolean, finding: () => ProbeFinding): readonly ProbeFinding[] =>
  isWell ? [] : [finding()];
