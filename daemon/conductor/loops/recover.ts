// At startup, ends the work that the previous process left unfinished: its nodes get a defined state and a recorded reason.
import { statesOfClass, stateFacts } from '../../model/states/provision-states.ts';
import { cleanUpInspection } from '../flows/phases/inspect.ts';
import { settleBmcLogins } from '../hardware/bmc-login/settle-login.ts';
import { abandonWork } from '../tasks/abandon-work.ts';
import { startTaskIfFree } from '../tasks/run-task.ts';
import type { LoopServices } from './services.ts';

/**
 * Must run before the API listens. Returns the number of nodes changed. Machines whose inspection was interrupted are left as after
 * any other failed inspection, in the background.
 */
export function recoverNodes(services: LoopServices): number {
  settleBmcLogins(services);
  const { nodes } = services.db;
  const found = [...nodes.withTargetPowerState(), ...nodes.inStates(statesOfClass('transient'))];
  const abandoned = new Map(found.map((node) => [node.uuid, node]));
  for (const node of abandoned.values())
    abandonWork(services, node, { reason: 'the service was restarted', eventType: 'startup failure' });
  for (const { uuid, provision_state: state } of abandoned.values())
    if (stateFacts({ provision_state: state }).work === 'inspect')
      startTaskIfFree(services, uuid, () => cleanUpInspection).catch((error: unknown) =>
        services.log.error({ node: uuid, error }, 'the interrupted inspection could not be cleaned up'),
      );
  if (abandoned.size > 0)
    services.log.warn(
      { nodes: abandoned.size },
      'nodes recovered from work that a previous run left unfinished',
    );
  return abandoned.size;
}
