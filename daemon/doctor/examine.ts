// Runs the doctor's probes, all at once, each for a few seconds at most.
import type { LoadedConfig } from '../config/load.ts';
import { readTables } from '../db/read-only.ts';
import type { Clock } from '../lib/clock.ts';
import type { DoctorFinding } from '../model/doctor/doctor-finding.ts';
import { reasonOf } from '../model/faults.ts';
import type { ProbeFinding, Probe, ExaminedSite } from './probe.ts';
import { bmcProbes } from './probes/bmcs.ts';
import { bootServerProbes } from './probes/boot-servers.ts';
import { bootProbes } from './probes/boot.ts';
import { hostProbes } from './probes/host.ts';
import { listenerProbes } from './probes/listeners.ts';
import { peersProbe } from './probes/peers.ts';
import { recordProbes } from './probes/records.ts';
import { refusedUpgradeProbe } from './probes/refused-upgrade.ts';
import { securityProbes } from './probes/security.ts';
import { stateProbes } from './probes/state.ts';

export const probes: readonly Probe[] = [
  ...hostProbes,
  ...stateProbes,
  ...listenerProbes,
  ...bootProbes,
  ...bootServerProbes,
  refusedUpgradeProbe,
  peersProbe,
  ...securityProbes,
  ...recordProbes,
  ...bmcProbes,
];

const LIMIT_MILLISECONDS = 5000;

export interface Patient extends Pick<LoadedConfig, 'config' | 'file' | 'warnings'> {
  readonly setAside: ExaminedSite['setAside'];
}

/**
 * Resolves to at least one item for each probe: its findings, or one of severity `none`. `only`: the ids of the probes to run; all
 * when empty.
 */
export async function examine(
  patient: Patient,
  only: readonly string[],
  clock: Clock,
): Promise<readonly DoctorFinding[]> {
  const chosen = only.length === 0 ? probes : probes.filter(({ id }) => only.includes(id));
  const read: ExaminedSite['read'] = (reader) => {
    try {
      return readTables(patient.config.database.path, reader);
    } catch {
      // the probe "database" reports the reason
      return undefined;
    }
  };
  const examined = await Promise.all(
    chosen.map(async (probe) => reportOf(probe, await inTime(probe, { ...patient, read, clock }, clock))),
  );
  return examined.flat();
}

function reportOf({ id, about }: Probe, findings: readonly ProbeFinding[]): readonly DoctorFinding[] {
  if (findings.length === 0)
    return [{ probe: id, about, severity: 'none', saw: '', means: '', fix: '', node: null }];
  return findings.map(({ node = null, ...finding }) => ({ probe: id, about, ...finding, node }));
}

async function inTime(
  probe: Probe,
  site: Omit<ExaminedSite, 'signal'>,
  clock: Clock,
): Promise<readonly ProbeFinding[]> {
  const overdue = new AbortController();
  const late = Promise.withResolvers<readonly ProbeFinding[]>();
  const cancel = clock.after(LIMIT_MILLISECONDS, () => {
    overdue.abort(new Error('the probe took too long'));
    late.resolve([unfinished(probe, `it did not end within ${LIMIT_MILLISECONDS / 1000} s`)]);
  });
  // the timers of a Clock do not keep the process alive
  const hold = setInterval(() => undefined, LIMIT_MILLISECONDS);
  try {
    return await Promise.race([late.promise, (async () => probe.run({ ...site, signal: overdue.signal }))()]);
  } catch (error) {
    return [unfinished(probe, reasonOf(error))];
  } finally {
    cancel();
    clearInterval(hold);
  }
}

const unfinished = ({ id, about }: Probe, reason: string): ProbeFinding => ({
  severity: 'unknown',
  saw: `the probe did not finish (${about}): ${reason}`,
  means: 'whether there is a problem is not known',
  fix: `ironic-edge doctor --only ${id}`,
});
