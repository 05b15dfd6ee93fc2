// Which hop (a stage such as dhcp or tftp) a running boot should reach next, judged by the usual times of earlier boots.
import { hopDelays } from '../../model/machine/boots.ts';
import { type Hop, hops, type MachineEvent } from '../../model/records/machine-event.ts';
import { isLate } from '../../model/usual-time.ts';

export interface MissingHop {
  readonly hop: Hop;
  /** How many seconds after power-on the hop is usually seen. */
  readonly usual: number;
  /** How many seconds have passed since power-on. */
  readonly age: number;
  readonly late: boolean;
}

/** `usual`: seconds from power-on to each hop. A hop is not expected any more once a hop that usually follows it was seen. */
export function missingHop(
  boot: readonly MachineEvent[],
  usual: ReadonlyMap<Hop, number>,
  age: number,
): MissingHop | undefined {
  const seen = hopDelays(boot);
  const reached = Math.max(-1, ...[...seen.keys()].map((hop) => usual.get(hop) ?? -1));
  const awaited = hops
    .flatMap((hop) => {
      const seconds = usual.get(hop);
      return seconds === undefined || seen.has(hop) || seconds <= reached ? [] : [{ hop, usual: seconds }];
    })
    .toSorted((a, b) => a.usual - b.usual);
  const [next] = awaited;
  return next && { ...next, age, late: isLate(age, next.usual) };
}
