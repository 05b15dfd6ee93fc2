// At startup, ends the work that the previous process left unfinished: its nodes get a defined state and a recorded reason.
import { statesOfClass } from '../../model/states/provision-states.ts';
import { abandonWork } from '../tasks/abandon-work.ts';
import type { Services } from '../services.ts';

/** Must run before the API listens. Returns the number of nodes changed. */
export function recoverNodes(services: Services): number {
  const { nodes } = services.db;
  const found = [...nodes.withTargetPowerState(), ...nodes.inStates(statesOfClass('transient'))];
  const abandoned = new Map(found.map((node) => [node.uuid, node]));
  for (const node of abandoned.values())
    abandonWork(services, node, { reason: 'the service was restarted', eventType: 'startup failure' });
  return abandoned.size;
}
