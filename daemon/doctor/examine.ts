// Runs the doctor's probes, all at once, each for a few seconds at most.
import type { LoadedConfig } from '../config/load.ts';
import { readTables } from '../db/read-only.ts';
import type { Clock } from '../lib/clock.ts';
import { reasonOf } from '../model/faults.ts';
import type { Finding, Probe, Site } from './probe.ts';
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

export interface Examined {
  readonly probe: string;
  readonly findings: readonly Finding[];
}

const LIMIT_MILLISECONDS = 5000;

export interface Patient extends Pick<LoadedConfig, 'config' | 'file' | 'warnings'> {
  readonly setAside: Site['setAside'];
}

/** `only`: the ids of the probes to run; all when empty. */
export function examine(
  patient: Patient,
  only: readonly string[],
  clock: Clock,
): Promise<readonly Examined[]> {
  const chosen = only.length === 0 ? probes : probes.filter(({ id }) => only.includes(id));
  const read: Site['read'] = (reader) => {
    try {
      return readTables(patient.config.database.path, reader);
    } catch {
      // the probe "database" reports the reason
      return undefined;
    }
  };
  return Promise.all(chosen.map((probe) => inTime(probe, { ...patient, read, clock }, clock)));
}

async function inTime(probe: Probe, site: Omit<Site, 'signal'>, clock: Clock): Promise<Examined> {
  const overdue = new AbortController();
  const late = Promise.withResolvers<readonly Finding[]>();
  const cancel = clock.after(LIMIT_MILLISECONDS, () => {
    overdue.abort(new Error('the probe took too long'));
    late.resolve([unfinished(probe, `it did not end within ${LIMIT_MILLISECONDS / 1000} s`)]);
  });
  // the timers of a Clock do not keep the process alive
  const hold = setInterval(() => undefined, LIMIT_MILLISECONDS);
  try {
    const findings = await Promise.race([
      late.promise,
      (async () => probe.run({ ...site, signal: overdue.signal }))(),
    ]);
    return { probe: probe.id, findings };
  } catch (error) {
    return { probe: probe.id, findings: [unfinished(probe, reasonOf(error))] };
  } finally {
    cancel();
    clearInterval(hold);
  }
}

const unfinished = ({ id, about }: Probe, reason: string): Finding => ({
  severity: 'warning',
  saw: `the probe did not finish (${about}): ${reason}`,
  means: 'whether there is a problem is not known',
  fix: `ironic-edge doctor --only ${id}`,
});
