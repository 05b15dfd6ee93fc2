// Steps in requests, and the steps of deploy templates and runbooks in replies.
import { fault } from '../../model/faults.ts';
import type { Json } from '../../model/json.ts';
import { maskSecrets } from '../../model/secrets.ts';
import { type NamedStep, stepName } from '../../model/steps/step-lists.ts';

/**
 * Returns the step with its `key` as a number, because clients may send a string of digits. A step without `key` is returned
 * unchanged.
 */
export function withNumber<S extends NamedStep>(step: S, key: keyof S & string): S {
  return key in step ? { ...step, [key]: Number(step[key]) } : step;
}

/** Throws InvalidParameter when two steps have the same interface and name. */
export function refuseRepeatedSteps(steps: readonly NamedStep[]): void {
  const names = steps.map(stepName);
  const seen = new Set<string>();
  const repeated = names.find((name) => seen.size === seen.add(name).size);
  if (repeated === undefined) return;
  throw fault('InvalidParameter', { name: 'steps', reason: `step ${repeated} is listed more than once` });
}

/** Returns the steps with the secrets in their arguments masked. */
export function shownSteps(steps: readonly NamedStep[]): Json {
  return maskSecrets(steps as unknown as Json);
}
