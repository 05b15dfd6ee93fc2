// Names of traits in requests.
import type { Parameters } from '../../http/parameters.ts';
import { fault } from '../../model/faults.ts';
import { isTrait, TRAIT_RULE } from '../../model/traits.ts';

/** The parameter that replaces all traits of a node or a runbook. */
export const traitsParameter = { traits: { kind: 'array', required: true } } as const satisfies Parameters;

/** Returns the names unchanged. Throws InvalidParameter unless each is a valid trait. */
export function checkedTraits(names: readonly unknown[]): readonly string[] {
  const wrong = names.find((name) => typeof name !== 'string' || !isTrait(name));
  if (wrong === undefined) return names as readonly string[];
  throw fault('InvalidParameter', {
    name: 'traits',
    reason: `${JSON.stringify(wrong).slice(0, 80)} does not match the rule for trait names: ${TRAIT_RULE}`,
  });
}
