// The verbs of PUT /v1/nodes/{node}/states/provision: the event and the first API version of each.
import type { ProvisionEvent } from './provision-events.ts';
import { classOf, next, type ProvisionState } from './provision-states.ts';

interface Verb {
  readonly event: ProvisionEvent;
  /** The state that the node has when the work is done; undefined for verbs that only change how other work goes on. */
  readonly reaches?: ProvisionState;
  /** The first minor API version that accepts the verb; older requests get 406. */
  readonly since: number;
  /** Refused with 400 while the node is in maintenance. */
  readonly notInMaintenance?: true;
  /** Refused with 503 while too many nodes are being cleaned or deployed ([conductor] max_concurrent_*). */
  readonly countsAs?: 'clean' | 'deploy';
  /** The API version is checked after the node's state, so that an unsuitable state is reported first. */
  readonly gatedLate?: true;
}

const verbs = {
  active: { event: 'deploy', reaches: 'active', since: 1, notInMaintenance: true, countsAs: 'deploy' },
  deploy: { event: 'deploy', reaches: 'active', since: 73, notInMaintenance: true, countsAs: 'deploy' },
  rebuild: { event: 'rebuild', reaches: 'active', since: 1, notInMaintenance: true, countsAs: 'deploy' },
  deleted: { event: 'delete', reaches: 'available', since: 1, countsAs: 'clean' },
  undeploy: { event: 'delete', reaches: 'available', since: 1, countsAs: 'clean' },
  manage: { event: 'manage', reaches: 'manageable', since: 4 },
  provide: { event: 'provide', reaches: 'available', since: 4 },
  inspect: { event: 'inspect', reaches: 'manageable', since: 6 },
  abort: { event: 'abort', since: 13 },
  clean: { event: 'clean', reaches: 'manageable', since: 15, notInMaintenance: true, countsAs: 'clean' },
  adopt: { event: 'adopt', reaches: 'active', since: 17 },
  rescue: { event: 'rescue', reaches: 'rescue', since: 38, notInMaintenance: true },
  unrescue: { event: 'unrescue', reaches: 'active', since: 38, notInMaintenance: true },
  unhold: { event: 'unhold', since: 85, gatedLate: true },
  service: { event: 'service', reaches: 'active', since: 87, notInMaintenance: true, gatedLate: true },
} as const satisfies Record<string, Verb>;

export type ProvisionVerb = keyof typeof verbs;

export function isProvisionVerb(text: string): text is ProvisionVerb {
  return Object.hasOwn(verbs, text);
}

export const provisionVerbs = Object.keys(verbs) as readonly ProvisionVerb[];

export function verbOf(name: ProvisionVerb): Verb {
  return verbs[name];
}

/** Returns the first minor API version that accepts the verb in the state; in two states, `abort` needs a newer version. */
export function verbSince(name: ProvisionVerb, state: ProvisionState): number {
  if (name === 'abort' && state === 'inspect wait') return 41;
  if (name === 'abort' && state === 'wait call-back') return 110;
  return verbs[name].since;
}

/** Verbs that lead to other states and take nothing from an instance. */
const HARMLESS = ['manage', 'provide', 'unrescue'] as const;

/**
 * Returns the verbs to request first, in order, so that a node in `state` accepts `verb`. Empty if it accepts the verb at once or has
 * the state that the verb leads to, and if only verbs that take something away would lead there.
 */
export function verbsBefore(state: ProvisionState, verb: ProvisionVerb): readonly ProvisionVerb[] {
  const wanted = verbOf(verb);
  if (wanted.reaches === state || next(state, wanted.event) !== undefined) return [];
  const seen = new Set<ProvisionState>([state]);
  let ways: readonly Way[] = [{ at: state, verbs: [] }];
  while (ways.length > 0) {
    ways = ways.flatMap(({ at, verbs: gone }) =>
      HARMLESS.flatMap((each): Way[] => {
        const reached = next(at, verbs[each].event) === undefined ? undefined : verbs[each].reaches;
        if (reached === undefined || seen.has(reached)) return [];
        seen.add(reached);
        return [{ at: reached, verbs: [...gone, each] }];
      }),
    );
    const found = ways.find(({ at }) => next(at, wanted.event) !== undefined);
    if (found !== undefined) return found.verbs;
  }
  return [];
}

interface Way {
  readonly at: ProvisionState;
  readonly verbs: readonly ProvisionVerb[];
}

/** Returns what to do so that a node in `state` accepts `verb`, as a sentence behind a blank; empty if there is no advice. */
export function adviceFor(state: ProvisionState, verb: ProvisionVerb): string {
  const kind = classOf(state);
  if (kind === 'transient' || kind === 'wait')
    return ` Wait until this work has ended${next(state, 'abort') === undefined ? '' : ', or abort it'}.`;
  const first = verbsBefore(state, verb);
  return first.length === 0 ? '' : ` Request ${first.map((each) => `"${each}"`).join(', then ')} first.`;
}
