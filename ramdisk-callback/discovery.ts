// Machines that nobody enrolled: a report of inspection that fits no record makes a node of one.
import { createHash } from 'node:crypto';
import { createNode } from '../daemon/conductor/node-records.ts';
import { withoutAgentAndToken } from '../daemon/conductor/agent-traces.ts';
import type { MachineIdentity } from '../daemon/conductor/ramdisk.ts';
import { withoutUnkeptAgent } from '../daemon/conductor/fast-track.ts';
import type { Services } from '../daemon/conductor/services.ts';
import type { NodeTask } from '../daemon/conductor/task.ts';
import type { Config } from '../daemon/config/core-sections.ts';
import { fault, reasonOf } from '../daemon/model/faults.ts';
import { type Node, nodeFields } from '../daemon/model/node.ts';
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
   * The machine's node, which `begin` starts to process: a new one, or that of an earlier report which could not be
   * processed. Undefined when discovery is off or the machine has no MAC address. Throws DiscoveryUnderway when the
   * machine's first report is not processed yet, and DiscoveryFull.
   */
  async enrol(
    services: Services,
    { macs }: MachineIdentity,
    begin: (node: Node, done: () => void) => Promise<void>,
  ): Promise<Node | undefined> {
    const { enabled, driver } = services.config.auto_discovery;
    if (!enabled || driver === null || macs.length === 0) return undefined;
    const underway = macs.find((mac) => this.#underway.has(mac));
    if (underway !== undefined) throw fault('DiscoveryUnderway', { address: underway });
    const earlier = failedBefore(services, macs);
    const node = earlier ?? newNode(services, driver);
    const done = () => macs.forEach((mac) => this.#underway.delete(mac));
    for (const mac of macs) this.#underway.add(mac);
    services.log.info(
      { node: node.uuid, macs },
      earlier === undefined ? 'a machine was discovered' : 'a machine whose discovery failed reports again',
    );
    try {
      await begin(node, done);
    } catch (error) {
      done();
      if (earlier === undefined) services.db.nodes.remove(node.uuid);
      throw error;
    }
    return node;
  }
}

function newNode(services: Services, driver: string): Node {
  const { max_enrolled_nodes: limit } = services.config.auto_discovery;
  if (limit > 0 && services.db.nodes.countDiscovered(FIRST_STATE) >= limit)
    throw fault('DiscoveryFull', { limit });
  return createNode(services, { driver, auto_discovered: true });
}

const FAILED = 'failed_discovery';

/** `enroll`, where the node stays until an operator goes on with it. */
const FIRST_STATE = nodeFields.provision_state.initial;

/** A machine is the same when all its MAC addresses are: some are shared, such as those of adapters that are moved. */
const machineOf = (macs: readonly string[]): string =>
  createHash('sha256').update(macs.toSorted().join()).digest('hex');

/**
 * The node that the machine's earlier report left behind. Throws NotFound once an operator has gone on with the node:
 * anyone may report a machine, so that no report changes what an operator wrote or sends its credentials elsewhere.
 */
function failedBefore(services: Services, macs: readonly string[]): Node | undefined {
  const [uuid] = services.db.nodes.withFailedDiscovery(machineOf(macs));
  const node = uuid === undefined ? undefined : services.db.nodes.get(uuid);
  if (node === undefined) return undefined;
  const isUntouched = node.provision_state === FIRST_STATE && isEmpty(node.driver_info);
  if (isUntouched) return node;
  services.log.warn(
    { node: uuid, macs },
    'a machine whose discovery failed reports again, but its node was changed since: inspect it, or delete it to have the machine discovered again',
  );
  throw fault('NotFound', {});
}

const isEmpty = (object: object): boolean => Object.keys(object).length === 0;

/**
 * The node stays in `enroll`, whatever becomes of the report: how to reach its BMC is often not known yet, so that the
 * machine may not even be powered off. Of a report that fails nothing is stored but the reason; no ports are made, for
 * only the hooks can tell which, and the machine is known again by all its MAC addresses.
 */
export async function finishDiscovery(
  task: NodeTask,
  macs: readonly string[],
  process: () => Promise<void>,
): Promise<void> {
  try {
    await process();
    task.reload();
    const { [FAILED]: _, ...driver_internal_info } = task.node.driver_internal_info;
    task.store({ last_error: null, driver_internal_info });
    task.recordInfo({
      event: 'Discovered: ports, properties and inventory are stored.',
      eventType: 'inspection',
    });
    await leaveMachine(task);
    task.store(withoutUnkeptAgent(task.services, task.node));
  } catch (error) {
    task.reload();
    const event = `Failed to process what the ramdisk of a discovered machine sent: ${reasonOf(error).replace(/\.?$/, '.')} Its MAC addresses: ${someOf(macs)}. Remove the cause and boot the machine again: this node takes its next report.`;
    const last_error = task.recordError({ event, eventType: 'inspection' });
    const { driver_internal_info } = withoutAgentAndToken(task.node);
    task.store({
      last_error,
      driver_internal_info: { ...driver_internal_info, [FAILED]: machineOf(macs) },
    });
  }
}

const SHOWN_MACS = 8;

function someOf(macs: readonly string[]): string {
  const shown = macs.slice(0, SHOWN_MACS).join(', ');
  return macs.length > SHOWN_MACS ? `${shown} and ${macs.length - SHOWN_MACS} more` : shown;
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
