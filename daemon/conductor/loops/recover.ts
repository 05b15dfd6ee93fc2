// At start: nodes whose work died with the previous process get a defined state and a reason.
import type { Node } from '../../model/node.ts';
import { afterRestart, permits, statesOfClass } from '../../model/provision-states.ts';
import { recordError } from '../node-history.ts';
import { withoutPassword } from '../phases/rescue.ts';
import type { Services } from '../services.ts';
import { flowRecord } from '../steps/flow-record.ts';
import { transition } from '../transition.ts';

/** Runs before the API listens. How many nodes were touched. */
export function recoverNodes(services: Services): number {
  const powering = services.db.nodes.withTargetPowerState();
  for (const node of powering) abandonPowerAction(services, node);
  const working = services.db.nodes.inStates(statesOfClass('transient'));
  for (const node of working) failInterrupted(services, node);
  return new Set([...powering, ...working].map((node) => node.uuid)).size;
}

function abandonPowerAction(services: Services, node: Node): void {
  const event = `The pending power operation (target "${node.target_power_state}") was aborted by a restart of the service. The power state is read anew from the machine.`;
  const last_error = recordError(services, node, { event, eventType: 'startup failure' });
  services.db.nodes.update(node.uuid, { power_state: null, target_power_state: null, last_error });
}

function failInterrupted(services: Services, node: Node): void {
  const state = node.provision_state;
  const event = `The service was restarted while the node was in state "${state}"; this work can't be resumed, the node goes to "${afterRestart(state)}". Start it again.`;
  const error = recordError(services, node, { event, eventType: 'startup failure' });
  const phase = permits(state, 'steps');
  const changes = { ...withoutPassword(node), ...(phase && flowRecord(node, phase)) };
  transition(services, node, 'fail', { error, changes });
}
