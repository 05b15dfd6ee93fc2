// Names of traits in requests.
import type { Arguments } from '../../http/arguments.ts';

/** The argument that replaces all traits of a node or a runbook. */
export const traitsArgument = { traits: { kind: 'list', required: true } } as const satisfies Arguments;
