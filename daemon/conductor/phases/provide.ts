// manageable -> cleaning -> available.
import { fault } from '../../model/faults.ts';
import type { Node } from '../../model/node.ts';
import type { BackgroundWork } from '../run-task.ts';
import type { Services } from '../services.ts';
import type { NodeTask } from '../task.ts';

/** Moves to `cleaning`. Throws when the node may not become available, or would have to be cleaned and cannot be. */
export function beginProvide(task: NodeTask): BackgroundWork {
  const { node, services } = task;
  if (node.retired) throw fault('NodeIsRetired', { action: 'provide', node: node.uuid });
  if (node.maintenance && !services.config.conductor.allow_provisioning_in_maintenance) {
    throw fault('NodeInMaintenance', { action: 'provide', node: node.uuid });
  }
  if (cleansAutomatically(services, node)) {
    throw fault('UnsupportedDriverExtension', {
      driver: node.driver,
      extension: `automated cleaning with deploy interface ${node.deploy_interface}; set automated_clean=false on the node or in [conductor] to make it available without cleaning`,
    });
  }
  task.transition('provide', { startsWork: true });
  return async (running) => running.transition('done');
}

const cleansAutomatically = (services: Services, node: Node): boolean =>
  node.automated_clean ?? services.config.conductor.automated_clean;
