// Traits: names for what a node can do, used by nodes, allocations, deploy templates and runbooks.
import { fault } from './faults.ts';
import { standardTraits } from './standard-traits.ts';

export const MAXIMUM_TRAITS_OF_NODE = 50;

const LONGEST = 255;
const CUSTOM = /^CUSTOM_[A-Z0-9_]+$/;

/** Describes for messages what `isTrait` accepts. */
export const TRAIT_RULE = `a trait is a standard one or CUSTOM_ followed by A-Z, 0-9 and _, of ${LONGEST} characters at most`;

export function isTrait(name: string): boolean {
  return name.length <= LONGEST && (CUSTOM.test(name) || standardTraits.has(name));
}

/** Returns the names unchanged. Throws InvalidParameter unless each is a valid trait. */
export function checkedTraits(names: readonly unknown[]): readonly string[] {
  const wrong = names.find((name) => typeof name !== 'string' || !isTrait(name));
  if (wrong === undefined) return names as readonly string[];
  throw fault('InvalidParameter', {
    name: 'traits',
    reason: `${JSON.stringify(wrong).slice(0, 80)} does not match the rule for trait names: ${TRAIT_RULE}`,
  });
}
