// What the doctor found when it last ran beside the daemon, as checks of the view Health.
import type { DoctorFinding, Examination } from '../../../model/doctor/doctor-finding.ts';
import type { HealthCheck } from '../health.ts';

export interface DoctorAtHand {
  /** The result of the last run; undefined before the first has ended. */
  readonly last: Examination | undefined;
  readonly isRunning: boolean;
  /** Begins a run unless one is under way. */
  begin(): void;
}

/** When a visitor opens Health, a result that is older than this is renewed. */
const OLD_MILLISECONDS = 900_000;

export function examineIfOld(doctor: DoctorAtHand, now: number): void {
  if (doctor.last === undefined || now - doctor.last.at > OLD_MILLISECONDS) doctor.begin();
}

const RESULTS: Readonly<Record<DoctorFinding['severity'], HealthCheck['ok']>> = {
  error: false,
  warning: 'advice',
  unknown: 'unknown',
  none: true,
};

/** The findings as checks. Those that a check of `own` reports too are left out. */
export function checksOfDoctor(
  examination: Examination | undefined,
  own: readonly HealthCheck[],
): readonly HealthCheck[] {
  if (examination === undefined) return [];
  const { findings, failure } = examination;
  if (failure !== undefined) return [notExamined(failure)];
  const reported = new Set(own.flatMap(({ ok, probe }) => (ok === true ? [] : [probe])));
  return findings
    .filter(({ severity, probe }) => severity !== 'none' && !reported.has(probe))
    .map(({ probe, severity, saw, means, fix, node }) => ({
      name: probe,
      probe,
      ok: RESULTS[severity],
      detail: saw,
      means,
      fix,
      ...(node !== null && { node }),
    }));
}

const notExamined = (failure: string): HealthCheck => ({
  name: 'doctor',
  ok: 'unknown',
  detail: `the doctor could not be run: ${failure}`,
  means: 'the host, its files and the network were not checked',
  fix: 'ironic-edge doctor',
});

/** What the probes look at that found nothing. */
export const wellIn = (examination: Examination | undefined): readonly string[] =>
  (examination?.findings ?? []).filter(({ severity }) => severity === 'none').map(({ about }) => about);
