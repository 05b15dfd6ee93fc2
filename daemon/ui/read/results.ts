// Reads how far the requests of a form have come on each machine.
import { memberCondition } from '../../db/tables/table.ts';
import type { Node } from '../../model/records/node.ts';
import { maskSecrets } from '../../model/secrets.ts';
import { classOf, isFailure, isUnstable, type ProvisionState } from '../../model/states/provision-states.ts';
import { type ProvisionVerb, verbOf } from '../../model/states/verbs.ts';
import type { ActionOutcome } from '../actions/perform.ts';
import { labelOf, MOST_MACHINES } from './machines.ts';
import { nodePlanOf } from './node/node-plan.ts';
import { readUsualTimes } from './usual-times.ts';
import type { ReadServices } from './services.ts';

/**
 * `refused` by the API; `accepted`: all that is to be said of a request that starts no work; the work `goes` on, is `held` until
 * somebody continues it, is `done`, or has `failed`; `gone`: the node was deleted.
 */
export type ProgressKind = 'refused' | 'accepted' | 'goes' | 'held' | 'done' | 'failed' | 'gone';

export interface MachineProgress {
  readonly node: string;
  readonly label: string;
  readonly kind: ProgressKind;
  readonly state: ProvisionState | undefined;
  readonly power: string | null;
  /** The step that runs, its place from 1, and how many there are; undefined between steps. */
  readonly step: { readonly name: string; readonly number: number; readonly of: number } | undefined;
  /** The seconds that the steps that are left usually take; undefined where too little is known. */
  readonly left: number | undefined;
  readonly waitsFor: string | null;
  /** Why the request was refused, or the work has failed. */
  readonly reason: string | null;
}

export interface OutcomeProgress {
  readonly action: string;
  readonly machines: readonly MachineProgress[];
}

/** Makes a number of queries that does not depend on the number of machines. */
export function readActionProgress(
  services: ReadServices,
  { action, verb, results }: ActionOutcome,
): OutcomeProgress {
  const { db } = services;
  const uuids = results.map(({ node }) => node);
  const found = db.nodes.list(COLUMNS, [memberCondition('uuid', uuids)], ALL);
  const nodes = new Map(found.map((node) => [node.uuid, node]));
  const asked = results.map(({ node: uuid, refusal }) => {
    const node = nodes.get(uuid);
    const kind = refusal === null ? node && kindOf(node, verb) : 'refused';
    return { uuid, node, refusal, kind: kind ?? 'gone' };
  });
  const goes = asked.flatMap(({ node, kind }) => (kind === 'goes' && node !== undefined ? [node] : []));
  const stepsOf = readRunningSteps(services, goes);
  return {
    action,
    machines: asked.map(({ uuid, node, refusal, kind }) =>
      node === undefined
        ? { ...ABSENT, node: uuid, label: uuid, kind, reason: refusal }
        : { ...progressOfNode(node, kind), ...stepsOf(uuid), reason: refusal ?? failureOf(node, kind) },
    ),
  };
}

const COLUMNS = [
  ...(['uuid', 'name', 'provision_state', 'power_state', 'last_error', 'wait'] as const),
  'driver_internal_info',
] as const;
const ALL = { limit: MOST_MACHINES, sortKey: 'id', descending: false } as const;

const BETWEEN_STEPS = { step: undefined, left: undefined } as const;
const ABSENT = { state: undefined, power: null, waitsFor: null, ...BETWEEN_STEPS } as const;

const progressOfNode = (node: Node, kind: ProgressKind) => ({
  node: node.uuid,
  label: labelOf(node),
  kind,
  state: node.provision_state,
  power: node.power_state,
  waitsFor: kind === 'goes' && 'reason' in node.wait ? node.wait.reason : null,
});

const failureOf = ({ last_error: error }: Node, kind: ProgressKind): string | null =>
  kind === 'failed' && error !== null ? maskSecrets(error) : null;

function kindOf(
  { provision_state: state, last_error: error }: Node,
  verb: ProvisionVerb | undefined,
): ProgressKind {
  if (verb === undefined) return 'accepted';
  if (classOf(state) === 'hold') return 'held';
  if (isUnstable(state)) return 'goes';
  const { reaches } = verbOf(verb);
  if (reaches === undefined) return isFailure(state) ? 'failed' : 'accepted';
  return state === reaches && error === null ? 'done' : 'failed';
}

type RunningStep = Pick<MachineProgress, 'step' | 'left'>;

/** Returns how far the steps of a node are, for the nodes that are given. */
function readRunningSteps(services: ReadServices, nodes: readonly Node[]): (uuid: string) => RunningStep {
  const { workTimes, clock } = services;
  const plans = nodes.map((node) => ({ node: node.uuid, ...nodePlanOf(node) }));
  const usualOf = readUsualTimes(
    services,
    plans.flatMap(({ node, steps, index }) => steps.slice(index).map(({ work }) => ({ node, work }))),
  );
  const running = plans.flatMap(({ node, steps, index }): [string, RunningStep][] => {
    const step = steps[index];
    if (step === undefined) return [];
    const usual = steps.slice(index).map(({ work }) => usualOf(node, work));
    const since = workTimes.of(node)?.since;
    const age = since === undefined ? 0 : clock.age(since) / 1000;
    const all = usual.reduce<number>((sum, each) => sum + (each ?? 0), 0);
    return [
      [
        node,
        {
          step: { name: step.name, number: index + 1, of: steps.length },
          left: usual.includes(undefined) ? undefined : Math.max(0, all - Math.min(age, usual[0] ?? 0)),
        },
      ],
    ];
  });
  const byNode = new Map(running);
  return (uuid) => byNode.get(uuid) ?? BETWEEN_STEPS;
}
