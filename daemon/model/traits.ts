// Traits: names for what a node can do, used by nodes, allocations, deploy templates and runbooks.
import { standardTraits } from './standard-traits.ts';

export const MAXIMUM_TRAITS_OF_NODE = 50;

const LONGEST = 255;
const CUSTOM = /^CUSTOM_[A-Z0-9_]+$/;

/** Describes for messages what `isTrait` accepts. */
export const TRAIT_RULE = `a trait is a standard one or CUSTOM_ followed by A-Z, 0-9 and _, of ${LONGEST} characters at most`;

export function isTrait(name: string): boolean {
  return name.length <= LONGEST && (CUSTOM.test(name) || standardTraits.has(name));
}
