// Takes available nodes out of use when a OneView user has assigned a profile of his own to their server.
import type { PeriodicWork } from '#plugin-api';
import { isUsedByOneview, readServer } from './server-hardware.ts';

/** The reason that the driver looks for when the server is free again. */
export const TAKEN = 'node in use by OneView';

export const takenWork: PeriodicWork = {
  description: 'Puts available nodes into maintenance whose server a OneView user has taken.',
  interval: { section: 'oneview', option: 'periodic_check_interval' },
  nodes: { states: ['available'] },
  async run(task) {
    if (!isUsedByOneview(await readServer(task, 'Reading who uses the server'), task.node)) return;
    await task.setMaintenance(TAKEN);
    await task.requestProvision('manage');
  },
};
