// What inspections saw of the hardware, and what had changed since the same source looked before.
import { hardwareParts, hardwarePartNames } from '../../model/hardware/amounts.ts';
import { driftBetween, listedHardware } from '../../model/hardware/drift.ts';
import { type ClassComparison, compareWithClass } from '../../model/hardware/compare-class.ts';
import type { HardwareClass } from '../../model/hardware/hardware-class.ts';
import { nameHint } from '../images/catalogue.ts';
import type { MachineHardware, HardwarePart, SeenHardware } from '../../model/hardware/hardware.ts';
import type { NodeHardware } from '../../db/tables/node-hardware.ts';
import { fault } from '../../model/faults.ts';
import type { Node } from '../../model/records/node.ts';
import { now } from '../../lib/clock.ts';
import type { InspectionServices, InspectionTask } from './services.ts';

/** The source of reports that a ramdisk in the machine made. */
export const AGENT = 'agent';

/** Compares the report with the last one of the same source, stores it, and tells what has changed. Part of a transaction. */
export function storeHardware(task: InspectionTask, seen: SeenHardware & { readonly source: string }): void {
  const { services, node } = task;
  const { source } = seen;
  const before = services.db.hardware.get(node.uuid, source);
  const drift = driftBetween(before?.hardware, listedHardware(seen, source !== AGENT));
  const compared_with = before?.inspected_at ?? null;
  const row = { ...drift, node_uuid: node.uuid, source, inspected_at: now(services), compared_with };
  services.db.hardware.put(row);
  if (drift.changes.length > 0)
    tell(task, `Hardware changed since the inspection of ${compared_with}: ${drift.changes.join('; ')}.`);
  const { name, differences } = classOfNode(services, task.node, row);
  if (differences.length > 0) tell(task, `Hardware differs from class ${name}: ${differences.join('; ')}.`);
}

function tell(task: InspectionTask, event: string): void {
  const { services, node } = task;
  task.recordInfo({ event, eventType: 'hardware' });
  services.db.afterCommit(() =>
    services.timeline.record({ hop: 'inspection', node: node.uuid, text: event }),
  );
}

export interface NodeClass extends ClassComparison {
  /** Null: no hardware class has the name of the node's `resource_class`. */
  readonly name: string | null;
  readonly required: boolean;
  /** Whether an inspection has stored what the machine is made of. */
  readonly isSeen: boolean;
}

/** Compares `seen`, what the last inspection saw, with the hardware class of the node, as the class is now. */
export function classOfNode(
  services: Pick<InspectionServices, 'db'>,
  node: Pick<Node, 'resource_class'>,
  seen: Pick<NodeHardware, 'hardware'> | undefined,
): NodeClass {
  const expected = classNamed(services, node);
  const { name = null, required = false } = expected ?? {};
  const compared =
    expected === undefined || seen === undefined
      ? { differences: [], unchecked: [] }
      : compareWithClass(seen.hardware, expected);
  return { ...compared, name, required, isSeen: seen !== undefined };
}

const classNamed = (
  { db }: Pick<InspectionServices, 'db'>,
  { resource_class: name }: Pick<Node, 'resource_class'>,
): HardwareClass | undefined => (name === null ? undefined : db.hardwareClasses.findBy('name', name));

/** Throws HardwareClassDiffers when the node's class is required and its machine differs from it, or was not inspected. */
export function refuseOtherHardware(services: Pick<InspectionServices, 'db'>, node: Node): void {
  if (classNamed(services, node)?.required !== true) return;
  const seen = services.db.hardware.newest(node.uuid);
  const { name, differences, isSeen } = classOfNode(services, node, seen);
  if (name === null || (isSeen && differences.length === 0)) return;
  const reason = isSeen ? `the machine differs: ${differences.join('; ')}` : 'the machine was not inspected';
  throw fault('HardwareClassDiffers', { node: node.uuid, name, reason });
}

/** Throws HardwareClassNotFound. */
export function findHardwareClass({ db }: Pick<InspectionServices, 'db'>, identifier: string): HardwareClass {
  const found = db.hardwareClasses.get(identifier) ?? db.hardwareClasses.findBy('name', identifier);
  if (found !== undefined) return found;
  const hint = nameHint(db.hardwareClasses, 'class', identifier);
  throw fault('HardwareClassNotFound', { name: identifier.slice(0, 255), hint });
}

export interface ShownHardware extends Pick<
  NodeHardware,
  'source' | 'inspected_at' | 'compared_with' | 'changes'
> {
  readonly hardware: MachineHardware;
  /** Names of parts, such as `network cards`. */
  readonly compared: readonly string[];
  readonly not_compared: readonly string[];
  /** The name of the node's hardware class; null without one. */
  readonly class: string | null;
  readonly class_differences: readonly string[];
  /** Names of parts that the class names and no report lists. */
  readonly class_unchecked: readonly string[];
}

/** Throws NodeInventoryNotFound when no inspection has stored what the machine is made of. */
export function shownHardware(services: Pick<InspectionServices, 'db'>, node: Node): ShownHardware {
  const shown = findShownHardware(services, node);
  if (shown === undefined) throw fault('NodeInventoryNotFound', { node: node.uuid });
  return shown;
}

/** Returns undefined when no inspection has stored what the machine is made of. */
export function findShownHardware(
  services: Pick<InspectionServices, 'db'>,
  node: Node,
): ShownHardware | undefined {
  const row = services.db.hardware.newest(node.uuid);
  if (row === undefined) return undefined;
  const { name, differences, unchecked } = classOfNode(services, node, row);
  const { node_uuid: _, compared, ...rest } = row;
  const others = hardwareParts.filter((part) => !compared.includes(part));
  return {
    ...rest,
    compared: names(compared),
    not_compared: names(others),
    class: name,
    class_differences: differences,
    class_unchecked: names(unchecked),
  };
}

const names = (parts: readonly HardwarePart[]) => parts.map((part) => hardwarePartNames[part]);
