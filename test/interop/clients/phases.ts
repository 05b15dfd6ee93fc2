// The provision verbs that start a phase such as cleaning or deployment, or continue one, each with the node's state before the
// verb and after the phase.
import assert from 'node:assert/strict';
import type { Site, State } from './site.ts';

interface Way {
  readonly from: State;
  readonly to: State;
}

const ways = {
  adopt: { from: 'manageable', to: 'active' },
  clean: { from: 'manageable', to: 'manageable' },
  active: { from: 'available', to: 'active' },
  rebuild: { from: 'active', to: 'active' },
  deleted: { from: 'active', to: 'available' },
  rescue: { from: 'active', to: 'rescue' },
  unrescue: { from: 'rescue', to: 'active' },
  service: { from: 'active', to: 'active' },
  unhold: { from: 'clean hold', to: 'manageable' },
} as const satisfies Readonly<Record<string, Way>>;

export type PhaseVerb = keyof typeof ways;

/**
 * Makes a node in the state before the verb, calls `give` with its UUID to send the verb, and checks that the node then reaches the
 * state after the phase without an error.
 */
export async function isCarriedOut(
  site: Site,
  verb: PhaseVerb,
  give: (uuid: string) => Promise<unknown>,
): Promise<void> {
  const { from, to } = ways[verb];
  const before = await site.node({}, from);
  await give(before.uuid);
  const after = await site.nodeWhen(
    before.uuid,
    (node) =>
      node.provision_state === to &&
      node.target_provision_state === null &&
      node.provision_updated_at !== before.provision_updated_at,
  );
  assert.equal(after.last_error, null, verb);
}
