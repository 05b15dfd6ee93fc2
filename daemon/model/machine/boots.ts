// A boot in a machine's timeline: where the boot begins, and when each of its hops first succeeded.
import type { Hop, MachineEvent } from '../records/machine-event.ts';

/**
 * Returns the events since the daemon last requested a power-on or reset that did not fail; all events if they show none. The
 * request counts, not its confirmation, because a machine may boot before its BMC confirms the change.
 */
export function lastBoot(events: readonly MachineEvent[]): readonly MachineEvent[] {
  const last = events.findLastIndex(isPowerOn);
  if (last < 0) return events;
  const before = events.slice(0, last).findLastIndex(({ hop }) => hop === 'power');
  const requested = events[last]?.text.replace('power changed', 'power requested');
  return events.slice(events[before]?.text === requested ? before : last);
}

const isPowerOn = ({ hop, text, failed }: MachineEvent): boolean =>
  hop === 'power' && !failed && !text.includes('off');

/**
 * Returns the seconds from power-on or reset to the first success of each hop, `power`, `bmc` and `wait` left out; empty unless
 * the first event is a power-on or reset.
 */
export function hopDelays([start, ...events]: readonly MachineEvent[]): Map<Hop, number> {
  const delays = new Map<Hop, number>();
  if (start === undefined || !isPowerOn(start)) return delays;
  for (const { hop, at, failed } of events) {
    if (hop === 'power' || hop === 'bmc' || hop === 'wait' || failed || delays.has(hop)) continue;
    delays.set(hop, Math.max(0, (Date.parse(at) - Date.parse(start.at)) / 1000));
  }
  return delays;
}
