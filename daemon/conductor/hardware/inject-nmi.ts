// Injects an NMI, the interrupt that makes a hanging system write its crash dump.
import { withTask } from '../tasks/run-task.ts';
import type { Caller, Services } from '../services.ts';
import { unsupported } from './unsupported.ts';

export function injectNmi(services: Services, caller: Caller, uuid: string): Promise<void> {
  return withTask(services, caller, uuid, async (task) => {
    const { management } = task.driver;
    await management.validate(task.view);
    if (management.injectNmi === undefined) throw unsupported(task, 'inject_nmi');
    await management.injectNmi(task.view);
  });
}
