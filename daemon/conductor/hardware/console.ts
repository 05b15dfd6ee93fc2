// Enables, disables and locates consoles; restarts the enabled ones when the daemon starts.
import { reasonOf } from '../../model/faults.ts';
import type { JsonObject } from '../../model/json.ts';
import { carryOut } from '../tasks/background-action.ts';
import { clearError } from './change-power.ts';
import { openTask, startTask } from '../tasks/run-task.ts';
import type { Call, Services } from '../services.ts';
import type { NodeTask } from '../tasks/task.ts';
import { onInterface, operationOf } from './on-interface.ts';

/** Returns how to reach the console; null while it is disabled. Takes no lock. */
export async function getConsole(context: Call, uuid: string): Promise<JsonObject | null> {
  return openTask(context, uuid).node.console_enabled ? locate(context, uuid) : null;
}

const locate = onInterface('console', 'getConsole', 'console', { lock: false });

/** Accepts the request; the outcome is in `console_enabled` or `last_error`. Takes no lock if nothing changes. */
export async function setConsole(context: Call, uuid: string, enabled: boolean): Promise<void> {
  const task = openTask(context, uuid);
  await task.driver.console.validate(task.view);
  if (task.node.console_enabled === enabled) return;
  await startTask(context, uuid, (locked) => {
    if (locked.node.console_enabled === enabled) return undefined;
    locked.store(clearError(locked.node));
    return (running) => switchConsole(running, enabled);
  });
}

async function switchConsole(task: NodeTask, enabled: boolean): Promise<void> {
  await carryOut(task, {
    action: `${enabled ? 'enable' : 'disable'} the console`,
    eventType: 'console',
    async work() {
      if (enabled) await start(task);
      else await task.driver.console.stopConsole?.(task.view);
      task.store({ console_enabled: enabled });
    },
  });
}

async function start(task: NodeTask): Promise<void> {
  await operationOf(task, 'console', 'startConsole', 'console')();
}

/** Stops the console before its node or instance is removed. A failure is logged and does not stop the removal. */
export async function stopConsole(task: NodeTask): Promise<void> {
  if (!task.node.console_enabled) return;
  const { console } = task.driver;
  try {
    await console.stopConsole?.(task.view);
  } catch (error) {
    task.log.warn({ reason: reasonOf(error) }, 'could not stop the console');
  }
}

/** Restarts an enabled console for a new instance. A failure disables the console and does not fail the flow. */
export async function startNodeConsole(task: NodeTask): Promise<void> {
  if (task.node.console_enabled) await restart(task);
}

/** Restarts the enabled consoles, which ended with the daemon's last process. One that fails to start is disabled. */
export async function restartConsoles(services: Services): Promise<void> {
  for (const uuid of services.db.nodes.withConsole()) {
    await startTask({ services, caller: null }, uuid, () => restart).catch((error: unknown) => {
      services.log.error({ node: uuid, reason: reasonOf(error) }, 'could not restart the console');
    });
  }
}

async function restart(task: NodeTask): Promise<void> {
  const started = await carryOut(task, {
    action: 'start the console again',
    eventType: 'console',
    work: () => start(task),
  });
  if (!started) task.store({ console_enabled: false });
}
