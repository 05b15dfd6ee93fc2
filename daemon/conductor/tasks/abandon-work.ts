// Ends interrupted work on a node: the node gets a defined state and a recorded reason.
import type { Node } from '../../model/records/node.ts';
import { clearFlow } from '../../model/steps/clear-flow.ts';
import { afterRestart, classOf, permissionIn } from '../../model/states/provision-states.ts';
import { withoutInterruptedAgent } from './agent-state.ts';
import { recordError } from './node-history.ts';
import { withoutPassword } from './rescue-password.ts';
import { transition } from './transition.ts';
import type { TaskServices } from './services.ts';

export interface Abandonment {
  /** Why the work ended: `the service was restarted`. */
  readonly reason: string;
  /** Event type of the history entry. */
  readonly eventType: string;
}

/** Ends the power action and the provisioning work recorded as running on the node, in one transaction. */
export function abandonWork(services: TaskServices, node: Node, why: Abandonment): void {
  services.db.transaction(() => {
    const powered = node.target_power_state === null ? node : abandonPowerAction(services, node, why);
    if (classOf(node.provision_state) === 'transient') failInterrupted(services, powered, why);
  });
}

function abandonPowerAction(services: TaskServices, node: Node, { reason, eventType }: Abandonment): Node {
  const event = `The pending power operation (target "${node.target_power_state}") was aborted: ${reason}. The power state is read again from the machine.`;
  const last_error = recordError(services, node, { event, eventType });
  const changes = { power_state: null, target_power_state: null, last_error };
  services.db.nodes.update(node.uuid, changes);
  return { ...node, ...changes };
}

function failInterrupted(services: TaskServices, node: Node, { reason, eventType }: Abandonment): void {
  const state = node.provision_state;
  const event = `Work on the node was interrupted in state "${state}": ${reason}. It cannot be resumed; the node goes to "${afterRestart(state)}". Start the work again.`;
  const error = recordError(services, node, { event, eventType });
  const phase = permissionIn(state, 'steps');
  const left = { ...node, ...withoutInterruptedAgent(services, node) };
  const { driver_internal_info } = left;
  const changes = { driver_internal_info, ...withoutPassword(node), ...(phase && clearFlow(left, phase)) };
  transition(services, node, 'fail', { error, changes });
}
