// Node records: create, change and delete, subject to the conductor's rules.
import { fault } from '../../model/faults.ts';
import { interfaceFields } from '../../model/machine/interface-types.ts';
import { virtualMediaDevices } from '../../model/machine/virtual-media.ts';
import { type Node, type NodeChanges, nodeFields } from '../../model/records/node.ts';
import { isUnstable, permissionIn } from '../../model/states/provision-states.ts';
import { resolveInterfaces } from '../../plugin-host/compose.ts';
import { findReferencedChassis } from './referenced-records.ts';
import { newRecord } from './new-record.ts';
import { refuseDuplicates, sizeCheck } from './storable-record.ts';
import { dissociate } from './allocations/node-association.ts';
import type { RecordServices, RecordTask } from './services.ts';
import { endSubscription } from '../bmc-events/subscriptions.ts';
import { removeCopies } from '../images/media-images.ts';
import { withdrawNodeFiles } from '../images/node-files.ts';
import { stopConsole } from '../hardware/console.ts';
import { nodeOrFault, withTask } from '../tasks/run-task.ts';
import type { Call } from '../tasks/services.ts';

const NODE = { resource: 'node' };
const refuseTooLarge = sizeCheck<Node>(nodeFields);

/**
 * `given`: validated fields of the request. Throws for duplicates, and for a driver, interface, chassis, conductor group or
 * parent node that the node cannot have.
 */
export function createNode(services: RecordServices, given: NodeChanges & Pick<Node, 'driver'>): Node {
  const { default_resource_class, default_conductor_group } = services.config.DEFAULT;
  const node = newRecord<Node>(services, nodeFields, {
    conductor_group: default_conductor_group,
    ...given,
    // null and an empty string select the default
    resource_class: given.resource_class || default_resource_class,
    ...resolveInterfaces(services.registry, given.driver, given),
  });
  refuseUnfitInstance(services, node.driver, node.instance_info);
  if (node.chassis_uuid !== null) findReferencedChassis(services, node.chassis_uuid);
  const complete = {
    ...node,
    conductor_group: servedGroup(services, node.conductor_group),
    parent_node: parentOf(services, node),
  };
  refuseDuplicates(NODE, complete, () => services.db.nodes.insert(complete));
  return complete;
}

export interface NodeUpdate {
  /** Returns the changes that the request makes to `node`. Called before locking and again under the lock. Pure; may throw. */
  readonly change: (node: Node) => NodeChanges;
  /** Whether interfaces that the request does not name get the defaults of the node's new driver. */
  readonly resetInterfaces: boolean;
  /** Fields that the request names, whether or not their values change. */
  readonly named: ReadonlySet<string>;
  /** Whether to refuse changes in the frozen state, `inspecting`. Clients of API 1.38 and older may still make them. */
  readonly refuseFrozen: boolean;
}

/** Returns the changed node. Throws when a rule is violated, and then stores none of the changes. */
export async function updateNode(
  call: Call<RecordServices>,
  uuid: string,
  update: NodeUpdate,
): Promise<Node> {
  const { services } = call;
  const stored = nodeOrFault(services, uuid);
  refuseBusy(stored, update.change(stored), update.refuseFrozen);
  return withTask(call, uuid, async (task) => {
    const asked = update.change(task.node);
    refuseBusy(task.node, asked, update.refuseFrozen);
    if (asked.driver !== undefined || asked.management_interface !== undefined) await endSubscription(task);
    changeNode(task, asked, update);
    return task.node;
  });
}

type Named = Pick<NodeUpdate, 'resetInterfaces' | 'named'>;

/** Stores the changes `asked` and those they imply. Throws when a rule forbids them. */
export function changeNode(task: RecordTask, asked: NodeChanges, request: Named): void {
  refuseTooLarge(task.services.config, task.node, asked);
  const changes = completeChanges(task.services, task.node, asked, request);
  if (Object.keys(changes).length === 0) return;
  refuseDuplicates(NODE, { ...task.node, ...changes }, () =>
    changes.instance_uuid === null ? dissociate(task, changes) : task.store(changes),
  );
}

/** Whether running work on the node forbids changes of its record. */
export const isBusy = (node: Node): boolean =>
  node.target_provision_state !== null && permissionIn(node.provision_state, 'update') !== true;

function refuseBusy(node: Node, asked: NodeChanges, refuseFrozen: boolean): void {
  const detaches = node.maintenance && asked.instance_uuid === null && Object.keys(asked).length === 1;
  if (detaches) return;
  const frozen = refuseFrozen && permissionIn(node.provision_state, 'frozen') === true;
  if (isBusy(node) || frozen) throw fault('NodeBusy', { node: node.uuid });
}

function completeChanges(
  services: RecordServices,
  node: Node,
  asked: NodeChanges,
  request: Named,
): NodeChanges {
  if (typeof asked.chassis_uuid === 'string') findReferencedChassis(services, asked.chassis_uuid);
  const interfaces = changedInterfaces(services, node, asked, request);
  refuseWrongMoment(node, { ...asked, ...interfaces });
  return {
    ...asked,
    ...interfaces,
    ...displayName(node, asked),
    ...(asked.maintenance === false && { maintenance_reason: null, fault: null }),
    ...(asked.protected === false && { protected_reason: null }),
    ...(asked.retired === false && { retired_reason: null }),
    ...(asked.conductor_group !== undefined && {
      conductor_group: servedGroup(services, asked.conductor_group),
    }),
    ...(asked.parent_node !== undefined && { parent_node: parentOf(services, { ...node, ...asked }) }),
  };
}

// older Ironic clients give the name of an instance as instance_info/display_name
function displayName(node: Node, asked: NodeChanges): NodeChanges {
  const name = asked.instance_info?.['display_name'];
  if (typeof name !== 'string' || name === '') return {};
  return asked.instance_name === undefined && node.instance_name === null
    ? { instance_name: name.slice(0, 255) }
    : {};
}

/** Returns the group in lower case. Throws if it is not this conductor's: no conductor would manage the node. */
function servedGroup({ config }: RecordServices, wanted: string): string {
  const [group, own] = [wanted.toLowerCase(), config.conductor.conductor_group.toLowerCase()];
  if (group === own) return group;
  throw fault('InvalidParameter', {
    name: 'conductor_group',
    reason: `no conductor serves "${group}"; this one serves "${own}" ([conductor] conductor_group)`,
  });
}

interface TimingRule {
  readonly what: string;
  /** The end of the message, which says when the change is refused; by default it names the node's state. */
  readonly when?: string;
  /** What permits the change in this state, for the end of the message. */
  readonly unless?: string;
  readonly broken: (node: Node, asked: NodeChanges) => boolean;
}

const reconfigurable = (node: Node): boolean => permissionIn(node.provision_state, 'reconfigure') === true;
const changes = (node: Node, asked: NodeChanges, name: keyof Node): boolean =>
  asked[name] !== undefined && asked[name] !== node[name];

const IN_MAINTENANCE = '; in maintenance it can (baremetal node maintenance set)';

/** Changes of single fields that are refused although the node itself may be changed. */
const timingRules: readonly TimingRule[] = [
  ...interfaceFields.map((name) => ({
    what: `${name} changed`,
    unless: IN_MAINTENANCE,
    broken: (node: Node, asked: NodeChanges) =>
      changes(node, asked, name) && !reconfigurable(node) && !node.maintenance,
  })),
  {
    what: 'its driver changed',
    when: 'while its console is enabled; disable the console first',
    broken: (node, asked) => changes(node, asked, 'driver') && node.console_enabled,
  },
  {
    what: 'resource_class changed',
    broken: (node, asked) => changesSetValue(node, asked, 'resource_class') && !reconfigurable(node),
  },
  {
    what: 'instance_uuid (set by its allocation) removed',
    broken: (node, asked) =>
      asked.instance_uuid === null &&
      node.allocation_uuid !== null &&
      !reconfigurable(node) &&
      !node.maintenance,
    unless: IN_MAINTENANCE,
  },
  {
    what: 'protected set',
    broken: (node, asked) =>
      asked.protected === true && permissionIn(node.provision_state, 'protect') !== true,
  },
  {
    what: 'retired set',
    broken: (node, asked) =>
      asked.retired === true && permissionIn(node.provision_state, 'allocate') === true,
  },
];

function refuseWrongMoment(node: Node, asked: NodeChanges): void {
  const broken = timingRules.find((rule) => rule.broken(node, asked));
  if (broken !== undefined) {
    const { what, when = `while it is in state "${node.provision_state}"`, unless = '' } = broken;
    throw fault('InvalidState', { reason: `Node ${node.uuid} can not have ${what} ${when}${unless}.` });
  }
  refuseReassociation(node, asked);
  refuseReasonAlone(node, asked);
}

const changesSetValue = (node: Node, asked: NodeChanges, name: 'resource_class' | 'instance_uuid'): boolean =>
  asked[name] !== undefined && node[name] !== null && asked[name] !== node[name];

function refuseReassociation(node: Node, asked: NodeChanges): void {
  if (asked.instance_uuid !== null && changesSetValue(node, asked, 'instance_uuid')) {
    throw fault('NodeAssociated', { node: node.uuid, instance: node.instance_uuid ?? '' });
  }
}

function refuseReasonAlone(node: Node, asked: NodeChanges): void {
  for (const flag of ['protected', 'retired'] as const) {
    const reason = asked[`${flag}_reason`];
    if (reason !== undefined && reason !== null && !(asked[flag] ?? node[flag])) {
      throw fault('Invalid', { reason: `${flag}_reason can only be set on a node with ${flag}=true.` });
    }
  }
}

function changedInterfaces(
  services: RecordServices,
  node: Node,
  asked: NodeChanges,
  { resetInterfaces, named }: Named,
): NodeChanges {
  const { registry } = services;
  const driver = asked.driver ?? node.driver;
  if (asked.driver !== undefined || asked.instance_info !== undefined)
    refuseUnfitInstance(services, driver, asked.instance_info ?? node.instance_info);
  if (['driver' as const, ...interfaceFields].every((name) => asked[name] === undefined)) return {};
  const dropsOthers = resetInterfaces || registry.classicDrivers.has(driver);
  const kept = interfaceFields.filter((name) => !dropsOthers || named.has(name));
  const current = Object.fromEntries(kept.map((name) => [name, node[name]]));
  return resolveInterfaces(registry, driver, { ...current, ...asked });
}

/** Applies the rules for a node's own interfaces to those that `instance_info` sets. Throws when one cannot be used. */
function refuseUnfitInstance(
  { registry }: RecordServices,
  driver: string,
  info: Node['instance_info'],
): void {
  const chosen = interfaceFields.flatMap((name) => {
    const value = info[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  if (chosen.length > 0) resolveInterfaces(registry, driver, Object.fromEntries(chosen));
}

function parentOf(services: RecordServices, node: Node): string | null {
  if (node.parent_node === null) return null;
  const parent =
    services.db.nodes.get(node.parent_node) ?? services.db.nodes.findBy('name', node.parent_node);
  if (parent === undefined || parent.uuid === node.uuid) {
    throw fault('InvalidParameter', {
      name: 'parent_node',
      reason: `no other node has the UUID or name ${node.parent_node}`,
    });
  }
  refuseCircle(services, node, parent);
  return parent.uuid;
}

// power actions follow the parents upwards and the children downwards, and would not end in a circle
function refuseCircle({ db }: RecordServices, node: Node, parent: Node): void {
  const line = [parent];
  for (let above = parent.parent_node; above !== null; above = line.at(-1)?.parent_node ?? null) {
    const next = db.nodes.get(above);
    if (next === undefined) return;
    line.push(next);
    if (next.uuid === node.uuid)
      throw fault('InvalidParameter', {
        name: 'parent_node',
        reason: `node ${parent.uuid} is below node ${node.uuid} already: ${line.map(({ uuid }) => uuid).join(' is a child of ')}`,
      });
  }
}

/** Deletes the node with everything that belongs to it. Child nodes stay, without a parent. */
export function deleteNode(call: Call<RecordServices>, uuid: string): Promise<void> {
  const { services } = call;
  return withTask(call, uuid, async (task) => {
    const { node } = task;
    if (node.instance_uuid !== null && !node.maintenance) {
      throw fault('NodeAssociated', { node: uuid, instance: node.instance_uuid });
    }
    if (node.protected) throw fault('NodeProtected', { node: uuid });
    const removable = permissionIn(node.provision_state, 'remove');
    const allowed =
      removable === true ||
      (removable === 'if-configured' && services.config.conductor.allow_deleting_available_nodes);
    if (!allowed && !node.maintenance) {
      const hint = isUnstable(node.provision_state)
        ? 'wait for its work to end or abort it'
        : 'undeploy it or make it manageable first';
      throw fault('InvalidState', {
        reason: `Can not delete node "${uuid}" while it is in provision state "${node.provision_state}": ${hint}, or set maintenance.`,
      });
    }
    await stopConsole(task, 'The node is being removed.');
    await endSubscription(task);
    await task.dhcp.clean();
    await removeCopies(task, virtualMediaDevices);
    services.db.transaction(() => {
      services.db.nodes.orphan(uuid);
      services.db.nodes.remove(uuid);
    });
    services.networkBoots.clear(uuid);
    withdrawNodeFiles(services, node);
    services.consoles.forget(uuid);
  });
}
