// Reads from a node's record whether the requested work goes on, how far it has come, and how it ended.
import { isJsonObject, type JsonObject } from '../../../../model/json.ts';
import { classOf, isProvisionState, isUnstable } from '../../../../model/states/provision-states.ts';
import { resultOf } from '../../../../model/states/power-states.ts';
import { cellText } from '../../../text-table.ts';
import type { NodeVerb } from '../node-verbs.ts';

/** The fields of a node that are requested while its work is awaited. */
export const watchedFields = [
  'uuid',
  'name',
  'power_state',
  'target_power_state',
  'provision_state',
  'target_provision_state',
  'last_error',
  'clean_step',
  'deploy_step',
  'service_step',
  'driver_internal_info',
] as const;

export interface Progress {
  readonly kind: 'works' | 'done' | 'failed';
  /** The progress in words, for a line about the node. */
  readonly text: string;
  /** The share of the work that is done, from 0 to 1; always 1 for `done` and `failed`. */
  readonly share: number;
}

/** `goal`: the last target state of the node while the work went on; null when no target was seen. */
export function progressOf(verb: NodeVerb, node: JsonObject, goal: string | null): Progress {
  const state = cellText(verb.kind === 'power' ? node['power_state'] : node['provision_state']);
  const wanted = verb.kind === 'power' ? resultOf(verb.target) : goal;
  if (goes(verb, node)) return { kind: 'works', ...stepOf(node, state) };
  const { last_error: error } = node;
  const isReached = wanted === null ? error === null : state === wanted;
  return isReached
    ? { kind: 'done', text: state, share: 1 }
    : { kind: 'failed', text: reasonIn(state, node), share: 1 };
}

function goes({ kind }: NodeVerb, node: JsonObject): boolean {
  if (kind === 'power') return node['target_power_state'] !== null;
  const { provision_state: state } = node;
  return typeof state === 'string' && isProvisionState(state) && isUnstable(state);
}

const reasonIn = (state: string, { last_error: error }: JsonObject): string =>
  isProvisionState(state) && classOf(state) === 'hold'
    ? `${state}: "ironic-edge node unhold" continues the steps`
    : `${state}: ${cellText(error)}`;

/** The text is, for example, `deploying, step 2 of 5: deploy.write_image`. */
function stepOf(node: JsonObject, state: string): Pick<Progress, 'text' | 'share'> {
  const phase = (['clean', 'deploy', 'service'] as const).find((each) => isFilled(node[`${each}_step`]));
  const internal = node['driver_internal_info'];
  if (phase === undefined || !isJsonObject(internal)) return { text: state, share: 0 };
  const { [`${phase}_steps`]: steps, [`${phase}_step_index`]: index } = internal;
  const step = node[`${phase}_step`] as JsonObject;
  const name = `${cellText(step['interface'])}.${cellText(step['step'])}`;
  return Array.isArray(steps) && typeof index === 'number'
    ? { text: `${state}, step ${index + 1} of ${steps.length}: ${name}`, share: index / steps.length }
    : { text: `${state}: ${name}`, share: 0 };
}

const isFilled = (step: unknown): boolean => isJsonObject(step) && Object.keys(step).length > 0;
