// The one action that most people take next on a machine in its state.
import { actions } from './actions.ts';

type Situation = Parameters<NonNullable<(typeof actions)[string]>['fits']>[0];

/** Each counts only where it fits the machine; the first one that does is next. */
const IN_ORDER = [
  'release',
  'maintenance-off',
  'unhold',
  'unrescue',
  'inspect',
  'provide',
  'deploy',
  'make-available',
  'manage',
];

/**
 * Returns undefined where nothing is to be done but to look: while something is worked on, and on a machine in use. A machine that
 * was inspected is not inspected again before it is provided.
 */
export const nextAction = (machine: Situation, isInspected: boolean): string | undefined =>
  IN_ORDER.find((name) => (name !== 'inspect' || !isInspected) && actions[name]?.fits(machine) === true);
