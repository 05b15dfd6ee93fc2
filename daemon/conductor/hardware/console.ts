// Enables and disables consoles and tells how to reach them; restarts the enabled ones when the daemon starts.
import { plainText } from '../../lib/plain-text.ts';
import { reasonOf } from '../../model/faults.ts';
import type { JsonObject } from '../../model/json.ts';
import { carryOut } from './background-action.ts';
import { clearError } from './change-power.ts';
import { openTask, startTask } from '../tasks/run-task.ts';
import type { Call } from '../tasks/services.ts';
import { onInterface, operationOf } from './on-interface.ts';
import { unsupported } from './unsupported.ts';
import type { ConsoleServices } from '../consoles/services.ts';
import type { HardwareServices, HardwareTask } from './services.ts';

/** Returns how to reach the console; null while it is disabled. Takes no lock. */
export async function getConsole(context: Call<HardwareServices>, uuid: string): Promise<JsonObject | null> {
  const task = openTask(context, uuid);
  if (!task.node.console_enabled) return null;
  return task.driver.console.serialProgram === undefined ? locate(context, uuid) : placeOf(task);
}

/** Returns where clients of Ironic's API reach a serial console: its TCP port or, if it has none, its log, which is read-only. */
function placeOf({ services, node: { uuid } }: HardwareTask): JsonObject {
  const url = services.consoles.urlOf(uuid);
  return url === undefined
    ? { type: 'log', url: `/v1/nodes/${uuid}/states/console/log` }
    : { type: 'socat', url };
}

/** Returns what the machine last showed on its serial console, as text. Takes no lock. */
export const readConsole = ({ services }: Call<ConsoleServices>, uuid: string): string =>
  plainText(services.consoles.logOf(uuid).toString());

const locate = onInterface('console', 'getConsole', 'console', { lock: false });

/** Accepts the request; the outcome is in `console_enabled` or `last_error`. Takes no lock if nothing changes. */
export async function setConsole(
  context: Call<HardwareServices>,
  uuid: string,
  enabled: boolean,
): Promise<void> {
  const task = openTask(context, uuid);
  const { console } = task.driver;
  if (console.startConsole === undefined && console.serialProgram === undefined)
    throw unsupported(task, 'console', ['console', 'serialProgram']);
  await console.validate(task.view);
  if (task.node.console_enabled === enabled) return;
  await startTask(context, uuid, (locked) => {
    if (locked.node.console_enabled === enabled) return undefined;
    locked.store(clearError(locked.node));
    return (running) => switchConsole(running, enabled);
  });
}

async function switchConsole(task: HardwareTask, enabled: boolean): Promise<void> {
  await carryOut(task, {
    action: `${enabled ? 'enable' : 'disable'} the console`,
    eventType: 'console',
    async work() {
      if (enabled) await start(task);
      else await stop(task, 'The console was disabled.');
      task.store({ console_enabled: enabled });
    },
  });
}

async function start(task: HardwareTask): Promise<void> {
  const { services, node } = task;
  if (task.driver.console.serialProgram === undefined) {
    await operationOf(task, 'console', 'startConsole', 'console')();
    return;
  }
  const program = async () => {
    // also called for later connections, after this task has ended: they need the node as it is then
    const now = openTask({ services, caller: null }, node.uuid);
    return operationOf(now, 'console', 'serialProgram', 'console')();
  };
  await services.consoles.open(node.uuid, program);
}

async function stop({ services, driver, node, view }: HardwareTask, reason: string): Promise<void> {
  services.consoles.close(node.uuid, reason);
  await driver.console.stopConsole?.(view);
}

/**
 * Stops the console before its node or instance is removed, or its node is handed over to another service. Tells the clients
 * the reason. A failure is only logged.
 */
export async function stopConsole(task: HardwareTask, why: string): Promise<void> {
  if (!task.node.console_enabled) return;
  try {
    await stop(task, why);
  } catch (error) {
    task.log.warn({ reason: reasonOf(error) }, 'could not stop the console');
  }
}

/** Restarts an enabled console after a deployment, an adoption or a quarantine. If that fails, disables it, without throwing. */
export async function startNodeConsole(task: HardwareTask): Promise<void> {
  if (task.node.console_enabled) await restart(task);
}

/**
 * Restarts the enabled consoles, which ended with the daemon's previous process. A console that fails to start is disabled; if its
 * node stays locked or no worker is free, the failure is only logged.
 */
export async function restartConsoles(services: HardwareServices): Promise<void> {
  for (const uuid of services.db.nodes.withConsole()) {
    await startTask({ services, caller: null }, uuid, () => restart).catch((error: unknown) => {
      services.log.error({ node: uuid, reason: reasonOf(error) }, 'could not restart the console');
    });
  }
}

async function restart(task: HardwareTask): Promise<void> {
  const started = await carryOut(task, {
    action: 'start the console again',
    eventType: 'console',
    work: () => start(task),
  });
  if (!started) task.store({ console_enabled: false });
}
