// When a machine's ramdisk reports for the first time in a boot, stores how long after power-on each hop of the boot (`dhcp`,
// `tftp`, `http`, ...) was first seen.
import { RecentMap } from '../../lib/limits/recent-map.ts';
import { hopDelays, lastBoot } from '../../model/machine/boots.ts';
import type { Hop } from '../../model/records/machine-event.ts';
import type { TimelineServices } from './services.ts';
import type { WorkTimes } from './work-times.ts';

const EVENTS_READ = 200;
const REMEMBERED_BOOTS = 4096;
const REPORTS: ReadonlySet<Hop> = new Set(['inspection', 'heartbeat']);

export const bootWork = (hop: Hop): string => `boot ${hop}`;

export function measureBoots({
  timeline,
  db,
  workTimes,
}: Pick<TimelineServices, 'timeline' | 'db'> & { readonly workTimes: WorkTimes }): void {
  const reported = new Set<string>();
  // by node: the id of the first event of the boot that was measured last
  const measured = new RecentMap<string, number>(REMEMBERED_BOOTS);
  timeline.watchers.add(({ hop, node, failed }) => {
    if (REPORTS.has(hop) && node !== undefined && failed !== true) reported.add(node);
  });
  timeline.storedWatchers.add(() => {
    for (const node of reported) {
      const boot = lastBoot(db.machineEvents.ofNode(node, { since: 0, limit: EVENTS_READ }));
      const start = boot[0]?.id ?? 0;
      if (measured.get(node) === start) continue;
      measured.set(node, start);
      workTimes.store(
        node,
        ...[...hopDelays(boot)].map(([hop, seconds]) => [bootWork(hop), seconds] as const),
      );
    }
    reported.clear();
  });
}
