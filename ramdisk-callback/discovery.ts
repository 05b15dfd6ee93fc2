// Machines that nobody enrolled: a report of inspection that fits no record makes a node of one.
import { createNode } from '../daemon/conductor/node-records.ts';
import { withoutAgentAndToken } from '../daemon/conductor/agent-traces.ts';
import type { MachineIdentity } from '../daemon/conductor/ramdisk.ts';
import { withoutUnkeptAgent } from '../daemon/conductor/fast-track.ts';
import type { Services } from '../daemon/conductor/services.ts';
import type { NodeTask } from '../daemon/conductor/task.ts';
import type { Config } from '../daemon/config/core-sections.ts';
import { fault, reasonOf } from '../daemon/model/faults.ts';
import type { Node } from '../daemon/model/node.ts';
import { resolveInterfaces } from '../daemon/plugin-host/compose.ts';
import type { Registry } from '../daemon/plugin-host/registry.ts';

/** Throws one sentence when `[auto_discovery]` is on and could enrol nothing. */
export function checkDiscovery(registry: Registry, { auto_discovery: { enabled, driver } }: Config): void {
  if (!enabled) return;
  try {
    resolveInterfaces(registry, driver ?? '', {});
  } catch (error) {
    throw new Error(
      `[auto_discovery] enabled is true, but nodes of [auto_discovery] driver = ${driver ?? ''} cannot be made: ${reasonOf(error)}`,
      { cause: error },
    );
  }
}

/** Enrols each machine once, however often its ramdisk reports. */
export class Discovery {
  /** MAC addresses of the machines whose first report is being processed. */
  readonly #underway = new Set<string>();

  /**
   * Makes a node, which `begin` starts to process, and gives it; undefined when discovery is off or the machine has no
   * MAC address. Throws DiscoveryUnderway when the machine's first report is not processed yet.
   */
  async enrol(
    services: Services,
    { macs }: MachineIdentity,
    begin: (node: Node, done: () => void) => Promise<void>,
  ): Promise<Node | undefined> {
    const { enabled, driver } = services.config.auto_discovery;
    if (!enabled || driver === null || macs.length === 0) return undefined;
    const known = macs.find((mac) => this.#underway.has(mac));
    if (known !== undefined) throw fault('DiscoveryUnderway', { address: known });
    const done = () => macs.forEach((mac) => this.#underway.delete(mac));
    for (const mac of macs) this.#underway.add(mac);
    const node = createNode(services, { driver, auto_discovered: true });
    services.log.info({ node: node.uuid, macs }, 'a machine was discovered');
    try {
      await begin(node, done);
    } catch (error) {
      done();
      services.db.nodes.remove(node.uuid);
      throw error;
    }
    return node;
  }
}

/**
 * The node stays in `enroll`, whatever becomes of the report: how to reach its BMC is often not known yet, so that the
 * machine may not even be powered off.
 */
export async function finishDiscovery(
  task: NodeTask,
  macs: readonly string[],
  process: () => Promise<void>,
): Promise<void> {
  try {
    await process();
    task.reload();
    task.recordInfo({
      event: 'Discovered: ports, properties and inventory are stored.',
      eventType: 'inspection',
    });
    await leaveMachine(task);
    task.store(withoutUnkeptAgent(task.services, task.node));
  } catch (error) {
    task.reload();
    // by its ports the machine is known again, and not discovered once more
    task.addPorts(macs);
    const event = `Failed to process what the ramdisk of a discovered machine sent: ${reasonOf(error)}`;
    const last_error = task.recordError({ event, eventType: 'inspection' });
    task.store({ ...withoutAgentAndToken(task.node), last_error });
  }
}

async function leaveMachine(task: NodeTask): Promise<void> {
  try {
    await task.driver.power.validate(task);
    await task.driver.inspect.finish?.(task);
  } catch (error) {
    task.log.warn({ reason: reasonOf(error) }, 'the machine stays as it is: its BMC cannot be reached yet');
    task.store({ last_error: null });
  }
}
