// Enables, disables and locates consoles; restarts the enabled ones when the daemon starts.
import { reasonOf } from '../../model/faults.ts';
import type { JsonObject } from '../../model/json.ts';
import { attempt } from '../tasks/attempt.ts';
import { clearedError } from './change-power.ts';
import { nodeOrFault, startTask } from '../tasks/run-task.ts';
import type { Caller, Services } from '../services.ts';
import { NodeTask } from '../tasks/task.ts';
import { unsupported } from './unsupported.ts';

/** Returns how to reach the console; null while it is disabled. Takes no lock. */
export async function getConsole(
  services: Services,
  caller: Caller,
  uuid: string,
): Promise<JsonObject | null> {
  const task = new NodeTask(services, nodeOrFault(services, uuid), caller);
  if (!task.node.console_enabled) return null;
  const { console } = task.driver;
  await console.validate(task.view);
  if (console.getConsole === undefined) throw unsupported(task, 'console');
  return console.getConsole(task.view);
}

/** Accepts the setting; the outcome is in `console_enabled` or `last_error`. Takes no lock if nothing changes. */
export async function setConsole(
  services: Services,
  caller: Caller,
  uuid: string,
  enabled: boolean,
): Promise<void> {
  const task = new NodeTask(services, nodeOrFault(services, uuid), caller);
  await task.driver.console.validate(task.view);
  if (task.node.console_enabled === enabled) return;
  await startTask(services, caller, uuid, (locked) => {
    if (locked.node.console_enabled === enabled) return undefined;
    locked.store(clearedError(locked.node));
    return (running) => switchConsole(running, enabled);
  });
}

async function switchConsole(task: NodeTask, enabled: boolean): Promise<void> {
  await attempt(task, {
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
  const { console } = task.driver;
  if (console.startConsole === undefined) throw unsupported(task, 'console');
  await console.startConsole(task.view);
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
    await startTask(services, null, uuid, () => restart).catch((error: unknown) => {
      services.log.error({ node: uuid, reason: reasonOf(error) }, 'could not restart the console');
    });
  }
}

async function restart(task: NodeTask): Promise<void> {
  const started = await attempt(task, {
    action: 'start the console again',
    eventType: 'console',
    work: () => start(task),
  });
  if (!started) task.store({ console_enabled: false });
}
