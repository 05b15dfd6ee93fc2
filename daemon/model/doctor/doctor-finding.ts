// What the doctor reports: its findings, and the probes that found nothing.

/**
 * error: something does not work; warning: something may stop working, or does not always work; unknown: the probe did not finish;
 * none: the probe found nothing.
 */
export type DoctorSeverity = 'error' | 'warning' | 'unknown' | 'none';

export interface DoctorFinding {
  /** The id of the probe. */
  readonly probe: string;
  /** What the probe looks at. */
  readonly about: string;
  readonly severity: DoctorSeverity;
  /** Empty, as are `means` and `fix`, if the probe found nothing. */
  readonly saw: string;
  readonly means: string;
  readonly fix: string;
  /** The UUID of the node that the finding is about; null for one that is about no node. */
  readonly node: string | null;
}

/** One run of all probes. */
export interface Examination {
  /** When it ended, in milliseconds since the epoch. */
  readonly at: number;
  readonly findings: readonly DoctorFinding[];
  /** Why the doctor could not be run; undefined when it was. */
  readonly failure: string | undefined;
}
