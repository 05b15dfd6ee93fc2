// The probe of the Debian package: reports an installed release that does not run because its rehearsal or its start failed.
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { ProbeFinding, Probe } from '../probe.ts';

/** The file in which the package's `activate` writes why a release was refused; it is beside the folder `releases`. */
const REFUSED = path.join(import.meta.dirname, '../../../../../refused');

export const refusedUpgradeProbe: Probe = {
  id: 'refused-upgrade',
  about: 'whether the installed release of the Debian package is the one that runs',
  run: () => refusedUpgrade(REFUSED),
};

export function refusedUpgrade(file: string): readonly ProbeFinding[] {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return [];
  return [
    {
      severity: 'warning',
      saw: `the newest release does not run: ${readFileSync(file, 'utf8').trim()}`,
      means: 'the release before it is still the current one',
      fix: `${path.join(path.dirname(file), 'activate')}, after you have corrected the cause`,
    },
  ];
}
