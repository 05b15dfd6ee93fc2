// Virtual network interfaces (VIFs), attached to a node through its network interface.
import type { Vif } from '../../plugin-api/index.ts';
import { nodeOrFault, withTask } from '../tasks/run-task.ts';
import type { Caller, Services } from '../services.ts';
import { NodeTask } from '../tasks/task.ts';
import { unsupported } from './unsupported.ts';

/** Takes no lock. */
export async function listVifs(services: Services, caller: Caller, uuid: string): Promise<readonly Vif[]> {
  const task = new NodeTask(services, nodeOrFault(services, uuid), caller);
  const { network } = task.driver;
  await network.validate(task.view);
  if (network.listVifs === undefined) throw unsupported(task, 'vif_list');
  return network.listVifs(task.view);
}

export function attachVif(services: Services, caller: Caller, uuid: string, vif: Vif): Promise<void> {
  return withTask(services, caller, uuid, async (task) => {
    const { network } = task.driver;
    await network.validate(task.view);
    if (network.attachVif === undefined) throw unsupported(task, 'vif_attach');
    await network.attachVif(task.view, vif);
  });
}

export function detachVif(services: Services, caller: Caller, uuid: string, id: string): Promise<void> {
  return withTask(services, caller, uuid, async (task) => {
    const { network } = task.driver;
    await network.validate(task.view);
    if (network.detachVif === undefined) throw unsupported(task, 'vif_detach');
    await network.detachVif(task.view, id);
  });
}
