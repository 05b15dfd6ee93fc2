// manageable -> adopting -> active: takes over a machine whose instance this daemon did not deploy, without writing to its
// disks.
import { reasonOf } from '../../../model/faults.ts';
import { startNodeConsole } from '../../hardware/console.ts';
import type { BackgroundWork } from '../../tasks/run-task.ts';
import type { NodeTask } from '../../tasks/task.ts';

export function beginAdoption(task: NodeTask): BackgroundWork {
  task.transition('adopt', { startsWork: true });
  return adopt;
}

async function adopt(task: NodeTask): Promise<void> {
  try {
    await task.driver.deploy.takeOver?.(task.view);
    await startNodeConsole(task);
    task.transition('done');
  } catch (error) {
    const event = `Failed to adopt the node: ${reasonOf(error)}`;
    const changes = { power_state: null };
    task.transition('fail', { error: task.recordError({ event, eventType: 'adoption' }), changes });
  }
}
