// The verbs of PUT /v1/nodes/{node}/states/provision: the event and the first API version of each.
import type { ProvisionEvent, ProvisionState } from './provision-states.ts';

interface Verb {
  readonly event: ProvisionEvent;
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
  active: { event: 'deploy', since: 1, notInMaintenance: true, countsAs: 'deploy' },
  deploy: { event: 'deploy', since: 73, notInMaintenance: true, countsAs: 'deploy' },
  rebuild: { event: 'rebuild', since: 1, notInMaintenance: true, countsAs: 'deploy' },
  deleted: { event: 'delete', since: 1, countsAs: 'clean' },
  undeploy: { event: 'delete', since: 1, countsAs: 'clean' },
  manage: { event: 'manage', since: 4 },
  provide: { event: 'provide', since: 4 },
  inspect: { event: 'inspect', since: 6 },
  abort: { event: 'abort', since: 13 },
  clean: { event: 'clean', since: 15, notInMaintenance: true, countsAs: 'clean' },
  adopt: { event: 'adopt', since: 17 },
  rescue: { event: 'rescue', since: 38, notInMaintenance: true },
  unrescue: { event: 'unrescue', since: 38, notInMaintenance: true },
  unhold: { event: 'unhold', since: 85, gatedLate: true },
  service: { event: 'service', since: 87, notInMaintenance: true, gatedLate: true },
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
