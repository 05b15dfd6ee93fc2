// Names of traits in requests.
import { fault } from '../../model/faults.ts';
import { isTrait, TRAIT_RULE } from '../../model/traits.ts';

/** Returns the names unchanged. Throws InvalidParameter unless each is a valid trait. */
export function checkedTraits(names: readonly unknown[]): readonly string[] {
  const wrong = names.find((name) => typeof name !== 'string' || !isTrait(name));
  if (wrong === undefined) return names as readonly string[];
  throw fault('InvalidParameter', {
    name: 'traits',
    reason: `${JSON.stringify(wrong).slice(0, 80)} does not match the rule for trait names: ${TRAIT_RULE}`,
  });
}
