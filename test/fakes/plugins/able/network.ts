// A network interface that stores the attached VIFs.
import { defineNetwork, fault, type Task, type Vif } from '#plugin-api';
import { recall, remember } from './memory.ts';

const attached = (task: Task) => recall(task, 'vifs', []) as readonly Vif[];

export const ableNetwork = defineNetwork({
  properties: {},
  validate() {},
  listVifs: async (task) => attached(task),
  async attachVif(task, vif) {
    if (attached(task).some(({ id }) => id === vif.id))
      throw fault('InvalidState', { reason: `VIF ${vif.id} is already attached` });
    await remember(task, { vifs: [...attached(task), vif] });
  },
  async detachVif(task, id) {
    const rest = attached(task).filter((vif) => vif.id !== id);
    if (rest.length === attached(task).length)
      throw fault('Invalid', { reason: `VIF ${id} is not attached` });
    await remember(task, { vifs: rest });
  },
});
