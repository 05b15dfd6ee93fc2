// Whether a runbook may be used on a node.
import type { Services } from '../conductor/services.ts';
import { fault } from '../model/faults.ts';
import type { Node } from '../model/records/node.ts';
import type { Runbook } from '../model/steps/step-lists.ts';
import { findRunbook } from './resource-identifiers.ts';

const TRAITS_SINCE = 112;

/** Returns the runbook that a request names. Throws InvalidUuidOrName, RunbookNotFound or RunbookNotApproved. */
export function approvedRunbook(
  services: Services,
  identifier: string,
  node: Pick<Node, 'uuid' | 'traits'>,
  minor: number,
): Runbook {
  const runbook = findRunbook(services, identifier);
  const reason = minor < TRAITS_SINCE ? nameObjection(runbook, node) : traitObjection(runbook, node);
  if (reason === undefined) return runbook;
  throw fault('RunbookNotApproved', { runbook: runbook.name, node: node.uuid, reason });
}

function nameObjection({ name }: Runbook, { traits }: Pick<Node, 'traits'>): string | undefined {
  return traits.includes(name) ? undefined : "the runbook's name is not among the node's traits";
}

function traitObjection(runbook: Runbook, { traits }: Pick<Node, 'traits'>): string | undefined {
  if (runbook.traits.length === 0) return 'the runbook has no traits';
  return runbook.traits.some((trait) => traits.includes(trait))
    ? undefined
    : `the node has none of the runbook's traits (${runbook.traits.join(', ')})`;
}
