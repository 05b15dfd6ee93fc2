// A boot in a machine's timeline: where the boot begins, and when each of its hops first succeeded.
import type { Hop, MachineEvent } from '../records/machine-event.ts';

/** Returns the events since the machine was last powered on or reset; all events if neither was seen. */
export function lastBoot(events: readonly MachineEvent[]): readonly MachineEvent[] {
  const start = events.findLastIndex(isPowerOn);
  return start < 0 ? events : events.slice(start);
}

const isPowerOn = ({ hop, text, failed }: MachineEvent): boolean =>
  hop === 'power' && !failed && !text.includes('off');

/**
 * Returns the seconds from power-on to the first success of each hop, `power` and `bmc` left out; empty unless the boot
 * begins with a power-on.
 */
export function hopDelays([start, ...events]: readonly MachineEvent[]): Map<Hop, number> {
  const delays = new Map<Hop, number>();
  if (start === undefined || !isPowerOn(start)) return delays;
  for (const { hop, at, failed } of events) {
    if (hop === 'power' || hop === 'bmc' || failed || delays.has(hop)) continue;
    delays.set(hop, Math.max(0, (Date.parse(at) - Date.parse(start.at)) / 1000));
  }
  return delays;
}
