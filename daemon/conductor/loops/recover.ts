// At start: nodes whose work died with the previous process get a defined state and a reason.
import { statesOfClass } from '../../model/provision-states.ts';
import { abandonWork } from '../abandon-work.ts';
import type { Services } from '../services.ts';

/** Runs before the API listens. How many nodes were touched. */
export function recoverNodes(services: Services): number {
  const { nodes } = services.db;
  const found = [...nodes.withTargetPowerState(), ...nodes.inStates(statesOfClass('transient'))];
  const abandoned = new Map(found.map((node) => [node.uuid, node]));
  for (const node of abandoned.values())
    abandonWork(services, node, { reason: 'the service was restarted', eventType: 'startup failure' });
  return abandoned.size;
}
