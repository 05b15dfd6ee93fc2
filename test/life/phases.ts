// The phases of a boot, from what the daemon saw of it.
import { type Hop, hops, type MachineEvent } from '../../daemon/model/records/machine-event.ts';

/** `power 0.0 s, dhcp 3.1-3.4 s, http 3.5-9.0 s`: first and last event of each hop, in seconds since the first event. */
export function phasesOf(events: readonly MachineEvent[]): string {
  const begun = Date.parse(events[0]?.at ?? '');
  const since = (event: MachineEvent) => ((Date.parse(event.at) - begun) / 1000).toFixed(1);
  return hops
    .flatMap((hop) => {
      const own = events.filter((event) => event.hop === hop);
      const times = [
        ...new Set([own[0], own.at(-1)].flatMap((event) => (event === undefined ? [] : since(event)))),
      ];
      return own.length === 0 ? [] : [`${hop} ${times.join('-')} s`];
    })
    .join(', ');
}

export const timelineText = (events: readonly MachineEvent[]): string =>
  events
    .map(({ at, hop, mac, failed, text }) => `${at} ${failed ? '!' : ' '} ${hop} ${mac ?? ''} ${text}\n`)
    .join('');

/** The hops of `wanted` that were not seen. */
export const unseen = (events: readonly MachineEvent[], wanted: readonly Hop[]): readonly Hop[] =>
  wanted.filter((hop) => !events.some((event) => event.hop === hop));
