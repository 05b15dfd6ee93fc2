// Auto-discovery: creates a node for an inspection report that matches no existing node.
import { createHash } from 'node:crypto';
import { createNode } from '../records/node-records.ts';
import { applyChanges } from './apply-changes.ts';
import type { InspectionChanges } from './changes.ts';
import type { InspectionServices, InspectionTask } from './services.ts';
import { agentStateToClear, withoutAgentAndToken } from '../tasks/agent-state.ts';
import type { Config } from '../../config/sections/core-sections.ts';
import { RecentMap } from '../../lib/limits/recent-map.ts';
import { fault, reasonOf } from '../../model/faults.ts';
import { type Node, nodeFields } from '../../model/records/node.ts';
import { resolveInterfaces } from '../../plugin-host/compose.ts';
import type { Registry } from '../../plugin-host/registry.ts';

/** How many sealed logins the daemon remembers, to refuse them when they are sent again. */
const REMEMBERED_LOGINS = 1000;

/** What the daemon remembers of reports while it runs. */
export const reportMemory = (): Pick<InspectionServices, 'discovering' | 'seenLogins'> => ({
  discovering: new Set(),
  seenLogins: new RecentMap(REMEMBERED_LOGINS),
});

/** Throws an Error when `[auto_discovery]` is enabled but its driver cannot be used for new nodes. */
export function checkDiscovery(registry: Registry, { auto_discovery: { enabled, driver } }: Config): void {
  // a driver whose plugin was set aside may be loaded later
  if (!enabled || registry.losses.length > 0) return;
  try {
    resolveInterfaces(registry, driver ?? '', {});
  } catch (error) {
    throw new Error(
      `[auto_discovery] enabled is true, but [auto_discovery] driver = ${driver ?? ''} cannot be used for new nodes: ${reasonOf(error)}`,
      { cause: error },
    );
  }
}

export interface Discovered {
  readonly node: Node;
  readonly macs: readonly string[];
  /** Whether this report created the node. */
  readonly isNew: boolean;
}

/**
 * Returns the machine's node: a new node, or the node of an earlier report that failed. `finishDiscovery` or `withdrawDiscovery`
 * must follow. Throws NotFound when discovery is disabled, when the machine has no MAC address, or when its earlier node was
 * changed. Throws DiscoveryFull when max_enrolled_nodes allows no new node. Throws DiscoveryUnderway while an earlier report of the
 * machine is still being processed.
 */
export function beginDiscovery(services: InspectionServices, macs: readonly string[]): Discovered {
  const { enabled, driver } = services.config.auto_discovery;
  if (!enabled || driver === null || macs.length === 0) throw fault('NotFound', {});
  const underway = macs.find((mac) => services.discovering.has(mac));
  if (underway !== undefined) throw fault('DiscoveryUnderway', { address: underway });
  const earlier = failedBefore(services, macs);
  const node = earlier ?? newNode(services, driver);
  for (const mac of macs) services.discovering.add(mac);
  services.log.info(
    { node: node.uuid, macs },
    earlier === undefined
      ? 'a machine was discovered'
      : 'a machine whose discovery failed has reported again',
  );
  return { node, macs, isNew: earlier === undefined };
}

/** Undoes `beginDiscovery` when the report cannot be processed now. */
export function withdrawDiscovery(services: InspectionServices, { node, macs, isNew }: Discovered): void {
  for (const mac of macs) services.discovering.delete(mac);
  if (isNew) services.db.nodes.remove(node.uuid);
}

function newNode(services: InspectionServices, driver: string): Node {
  const { max_enrolled_nodes: limit } = services.config.auto_discovery;
  if (limit > 0 && services.db.nodes.countDiscovered(FIRST_STATE) >= limit)
    throw fault('DiscoveryFull', { limit });
  return createNode(services, { driver, auto_discovered: true });
}

const FAILED = 'failed_discovery';

/** `enroll`; the node stays there until an operator moves it on. */
const FIRST_STATE = nodeFields.provision_state.initial;

/**
 * Identifies a machine by all its MAC addresses together: a single address may occur twice, for example when an adapter was moved
 * from another machine.
 */
const machineOf = (macs: readonly string[]): string =>
  createHash('sha256').update(macs.toSorted().join()).digest('hex');

/**
 * Returns the node created by the machine's earlier, failed report. Throws NotFound once the node has left `enroll` or has
 * driver_info: reports need no login, so they must not overwrite an operator's changes or divert BMC credentials.
 */
function failedBefore(services: InspectionServices, macs: readonly string[]): Node | undefined {
  const [uuid] = services.db.nodes.withFailedDiscovery(machineOf(macs));
  const node = uuid === undefined ? undefined : services.db.nodes.get(uuid);
  if (node === undefined) return undefined;
  const isUntouched = node.provision_state === FIRST_STATE && isEmpty(node.driver_info);
  if (isUntouched) return node;
  services.log.warn(
    { node: uuid, macs },
    'a machine whose discovery failed has reported again, but its node has been changed since: inspect the node, or delete it to have the machine discovered again',
  );
  throw fault('NotFound', {});
}

const isEmpty = (object: object): boolean => Object.keys(object).length === 0;

/**
 * Stores what a discovered machine's report changes. Resolves to whether that succeeded. The node stays in `enroll` either way,
 * because the address and credentials of its BMC are often unknown. When `found` rejects or a change is refused, only the reason
 * and the hash of all MAC addresses are stored. No ports are created then, because the hooks decide which ports a node gets. The
 * hash identifies the machine when it reports again.
 */
export async function finishDiscovery(
  task: InspectionTask,
  macs: readonly string[],
  found: Promise<InspectionChanges>,
): Promise<boolean> {
  try {
    store(task, await found);
    await leaveMachine(task);
    task.store(agentStateToClear(task.services, task.node));
    return true;
  } catch (error) {
    task.reload();
    const event = `Failed to process the report of a discovered machine: ${reasonOf(error).replace(/\.?$/, '.')} Its MAC addresses: ${someOf(macs)}. Fix the cause and boot the machine again; its next report will update this node.`;
    const last_error = task.recordError({ event, eventType: 'inspection' });
    const { driver_internal_info } = withoutAgentAndToken(task.node);
    task.store({
      last_error,
      driver_internal_info: { ...driver_internal_info, [FAILED]: machineOf(macs) },
    });
    return false;
  } finally {
    for (const mac of macs) task.services.discovering.delete(mac);
  }
}

function store(task: InspectionTask, changes: InspectionChanges): void {
  task.reload();
  task.transaction(() => {
    applyChanges(task, changes);
    const { [FAILED]: _, ...driver_internal_info } = task.node.driver_internal_info;
    task.store({ last_error: null, driver_internal_info });
    task.recordInfo({
      event: 'Discovered: ports, properties and inventory are stored.',
      eventType: 'inspection',
    });
  });
}

const SHOWN_MACS = 8;

function someOf(macs: readonly string[]): string {
  const shown = macs.slice(0, SHOWN_MACS).join(', ');
  return macs.length > SHOWN_MACS ? `${shown} and ${macs.length - SHOWN_MACS} more` : shown;
}

async function leaveMachine(task: InspectionTask): Promise<void> {
  try {
    await task.driver.power.validate(task.view);
    await task.driver.inspect.finish?.(task.view);
  } catch (error) {
    task.log.warn(
      { reason: reasonOf(error) },
      'leaving the machine as it is, because its BMC cannot be reached yet',
    );
    task.store({ last_error: null });
  }
}
