// Stores how long after power-on each hop of a boot was seen, when the machine's ramdisk reports for the first time.
import { hopDelays, lastBoot } from '../../model/machine/boots.ts';
import type { Hop } from '../../model/records/machine-event.ts';
import type { Services } from '../services.ts';

const LOOKED_AT = 200;
const REPORTS: ReadonlySet<Hop> = new Set(['inspection', 'heartbeat']);

export const bootWork = (hop: Hop): string => `boot ${hop}`;

type Parts = Pick<Services, 'timeline' | 'db' | 'workTimes' | 'clock'>;

export function measureBoots({ timeline, db, workTimes, clock }: Parts): void {
  timeline.watchers.add(({ hop, node, failed }) => {
    if (!REPORTS.has(hop) || node === undefined || failed === true) return;
    timeline.flush();
    const boot = lastBoot(db.machineEvents.ofNode(node, { since: 0, limit: LOOKED_AT }));
    const [start] = boot;
    const earlier = hopDelays(boot);
    if (start === undefined || start.hop !== 'power' || !REPORTS.isDisjointFrom(new Set(earlier.keys())))
      return;
    const delays = earlier.set(hop, Math.max(0, (clock.now() - Date.parse(start.at)) / 1000));
    for (const [seen, seconds] of delays) workTimes.store(node, bootWork(seen), seconds);
  });
}
