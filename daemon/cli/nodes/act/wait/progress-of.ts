// Reads from a node's record whether the requested work goes on, how far it has come, and how it ended.
import { isJsonObject, type JsonObject } from '../../../../model/json.ts';
import {
  classOf,
  isFailure,
  isProvisionState,
  isUnstable,
} from '../../../../model/states/provision-states.ts';
import { isPowerFailure, resultOf } from '../../../../model/states/power-states.ts';
import { verbOf } from '../../../../model/states/verbs.ts';
import { cellText } from '../../../text-table.ts';
import type { NodeVerb } from '../node-verbs.ts';

/** The fields of a node that are requested while its work is awaited. */
export const watchedFields = [
  'uuid',
  'name',
  'power_state',
  'target_power_state',
  'provision_state',
  'last_error',
  'clean_step',
  'deploy_step',
  'service_step',
  'driver_internal_info',
] as const;

export interface NodeProgress {
  readonly kind: 'works' | 'done' | 'failed';
  /** The progress in words, for a line about the node. */
  readonly text: string;
  /** The share of the work that is done, from 0 to 1; always 1 for `done` and `failed`. */
  readonly share: number;
}

/** Work is done only if the node says so: when it is in the state that the verb leads to, and no error of the work is recorded. */
export function progressOf(verb: NodeVerb, node: JsonObject): NodeProgress {
  const state = cellText(verb.kind === 'power' ? node['power_state'] : node['provision_state']);
  if (goes(verb, node)) return { kind: 'works', ...stepOf(node, state) };
  const isDone =
    verb.kind === 'power'
      ? state === resultOf(verb.target) && !hasPowerError(node)
      : state === verbOf(verb.target).reaches;
  return isDone
    ? { kind: 'done', text: state, share: 1 }
    : { kind: 'failed', text: reasonIn(state, node), share: 1 };
}

/** A power action that fails may leave the power state as it was. The error of a failed state stays when an action succeeds. */
function hasPowerError({ last_error: error, provision_state }: JsonObject): boolean {
  if (typeof error !== 'string') return false;
  const state = cellText(provision_state);
  return isPowerFailure(error) || !(isProvisionState(state) && isFailure(state));
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
function stepOf(node: JsonObject, state: string): Pick<NodeProgress, 'text' | 'share'> {
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
