// How far the work on a machine is, and how long it will still take, judged by the usual times of its steps.
import { classOf } from '../../../model/states/provision-states.ts';
import type { Node } from '../../../model/records/node.ts';
import { isLate } from '../../../model/usual-time.ts';
import { readSteps } from '../node-tabs.ts';
import type { ReadServices } from '../services.ts';
import { workOf } from '../tasks.ts';
import { readUsualTimes } from '../usual-times.ts';

export interface WorkProgress {
  /** What runs: the step, or else nothing beyond the state. */
  readonly work: string;
  /** The place of the running step, from 1, and the number of steps; null if no steps are planned. */
  readonly step: { readonly number: number; readonly of: number } | null;
  /** Seconds since this work began; null if that is not known. */
  readonly age: number | null;
  /** Seconds that are done and those of the whole work, as far as the usual times tell; null if they do not. */
  readonly done: { readonly seconds: number; readonly of: number } | null;
  readonly isLate: boolean;
}

const sum = (list: readonly number[]): number => list.reduce((all, each) => all + each, 0);

/** Returns undefined while nothing is worked on. */
export function readWorkProgress(services: ReadServices, node: Node): WorkProgress | undefined {
  const kind = classOf(node.provision_state);
  if (kind === 'stable' || kind === 'failed') return undefined;
  const { plan, current } = readSteps(services, node);
  const index = plan.findIndex(({ place }) => place === 'running');
  const running = plan[index];
  if (running === undefined) return withoutSteps(services, node);
  const known = plan.flatMap(({ usual }) => (usual === undefined ? [] : [usual]));
  const begun = Math.min(current.age ?? 0, running.usual ?? 0);
  const done = { seconds: sum(known.slice(0, index)) + begun, of: Math.max(1, sum(known)) };
  return {
    work: running.name.slice(running.name.indexOf(' ') + 1),
    step: { number: index + 1, of: plan.length },
    age: current.age,
    done: known.length < plan.length ? null : done,
    isLate: current.late,
  };
}

function withoutSteps(services: ReadServices, node: Node): WorkProgress {
  const { uuid, provision_state: state, provision_updated_at: since } = node;
  const { work, age } = workOf(services, { uuid, state, since });
  const usual = readUsualTimes(services, [{ node: uuid, work }])(uuid, work);
  const shown = { work: work === state ? '' : work, step: null, age };
  if (usual === undefined || age === null) return { ...shown, done: null, isLate: false };
  const done = { seconds: Math.min(age, usual), of: Math.max(1, usual) };
  return { ...shown, done, isLate: isLate(age, usual) };
}
