// Follows what OneView users do with the servers: takes nodes out of use and brings them back.
import type { NodeSelection, PeriodicWork, Task } from '#plugin-api';
import { oneviewOptions } from './options.ts';
import { isMarkedTaken, markTaken } from './server/node-fields.ts';
import { readOwner } from './server/server-hardware.ts';

/** The reason of the maintenance that only this driver begins and ends. */
export const TAKEN = 'node in use by OneView';

const interval = { section: 'oneview', option: 'periodic_check_interval' } as const;

interface Rule {
  readonly description: string;
  readonly nodes: NodeSelection;
  /**
   * Whether to act on the node. Called without the node's lock and, if it returned true, again with the lock. Acting on an
   * outdated answer must do no harm.
   */
  readonly concerns: (task: Task) => Promise<boolean>;
  readonly act: (task: Task) => Promise<void>;
}

const workOf = ({ description, nodes, concerns, act }: Rule): PeriodicWork => ({
  description,
  interval,
  nodes,
  concerns: async (task) => oneviewOptions(task).enable_periodic_tasks && concerns(task),
  async run(task) {
    if (await concerns(task)) await act(task);
  },
});

const isTaken = async (task: Task): Promise<boolean> => (await readOwner(task)).kind === 'oneview';
const isOutOfUse = ({ node }: Task): boolean => node.maintenance && node.maintenance_reason === TAKEN;

/** Takes the node out of use. If a crash interrupted an earlier attempt, the node is in maintenance already. */
async function takeOut(task: Task): Promise<void> {
  if (task.node.fault !== null) await task.clearMaintenance();
  if (!isOutOfUse(task)) await task.setMaintenance(TAKEN);
  await markTaken(task, false);
  await task.requestProvision('manage');
}

const taken = workOf({
  description: 'Takes an available node out of use when a OneView user has taken its server.',
  nodes: { states: ['available'], maintenance: 'any' },
  concerns: async (task) => isOutOfUse(task) || (!task.node.maintenance && (await isTaken(task))),
  act: takeOut,
});

const freed = workOf({
  description:
    'Cleans nodes that were taken out of use, once their server is free again, and makes them available.',
  nodes: { states: ['manageable'], maintenance: true },
  concerns: async (task) => isOutOfUse(task) && !(await isTaken(task)),
  async act(task) {
    if (!(task.node.automated_clean ?? task.configuration['conductor']?.['automated_clean'] === true))
      task.log.warn(
        {},
        'automated cleaning is off: the node becomes available with the data of a OneView user',
      );
    await task.requestProvision('provide', { endsMaintenance: true });
  },
});

const takenWhileCleaning = workOf({
  description: 'Takes a node out of use when its cleaning failed because a OneView user has its server.',
  nodes: { states: ['clean failed'], maintenance: 'any' },
  concerns: async (task) => isMarkedTaken(task.node) || isOutOfUse(task),
  act: takeOut,
});

const takenWhileDeploying = workOf({
  description: 'Undeploys nodes whose deployment failed because a OneView user has their server.',
  nodes: { states: ['deploy failed'], internalInfo: 'oneview_error' },
  concerns: async (task) => oneviewOptions(task).undeploy_taken_nodes && isMarkedTaken(task.node),
  act: (task) => task.requestProvision('deleted'),
});

export const ownershipWork = { taken, freed, takenWhileCleaning, takenWhileDeploying };
