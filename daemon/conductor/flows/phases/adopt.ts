// manageable -> adopting -> active: takes over a machine whose instance this daemon did not deploy, without writing to its
// disks.
import { reasonOf } from '../../../model/faults.ts';
import { startNodeConsole } from '../../hardware/console.ts';
import type { FlowTask, FlowWork } from '../services.ts';

export function beginAdoption(task: FlowTask): FlowWork {
  task.transition('adopt', { startsWork: true });
  return adopt;
}

async function adopt(task: FlowTask): Promise<void> {
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
