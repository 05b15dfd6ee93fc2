// Reads what the tab Overview of a machine shows.
import type { ShownHardware } from '../../../conductor/inspection/hardware.ts';
import { findShownHardware } from '../../../conductor/inspection/hardware.ts';
import { hardwareIn, type MachineHardware } from '../../../model/hardware/hardware.ts';
import { isJsonObject, type JsonObject } from '../../../model/json.ts';
import type { Node } from '../../../model/records/node.ts';
import { isFailure, isUnstable } from '../../../model/states/provision-states.ts';
import { keepsInventories } from '../../../conductor/inspection/stored-inventory.ts';
import { readTimeline, type Timeline } from '../node-tabs.ts';
import type { ReadServices } from '../services.ts';
import { type MissingHop, missingHop } from '../missing-hop.ts';
import { type BootCourse, type BootEnd, bootCourse } from './boot-course.ts';
import { type InstanceShown, readInstance } from './instance.ts';
import { type CardShown, cardsShown } from './neighbours.ts';
import { readSensors, type ShownSensor, type ShownSensors } from './sensors.ts';

export interface MachineParts {
  /** What the last inspection found changed; undefined if none has stored that. */
  readonly hardware: ShownHardware | undefined;
  /** What the machine is made of; undefined before the first inspection. */
  readonly parts: MachineHardware | undefined;
  readonly inventory: JsonObject | undefined;
  readonly cards: readonly CardShown[];
}

export interface Overview extends MachineParts {
  readonly timeline: Timeline;
  readonly course: BootCourse | undefined;
  readonly instance: InstanceShown | undefined;
  readonly sensors: Pick<ShownSensors, 'longestGap'>;
  /** The temperature of the air that comes in, and the power that the machine draws, where they were read. */
  readonly mainSensors: readonly ShownSensor[];
}

export function readOverview(services: ReadServices, node: Node): Overview {
  const timeline = readTimeline(services, node);
  const { boot, usual } = timeline;
  const until = endOf(services, node, boot);
  const missing =
    until?.state === 'failed' ? lateIn(missingHop(boot, usual, until.seconds)) : timeline.missing;
  const sensors = readSensors(services, node.uuid);
  return {
    ...readParts(services, node),
    timeline: { ...timeline, missing },
    course: bootCourse({ boot, usual, missing, until }),
    instance: readInstance(services, node),
    sensors,
    mainSensors: mainOf(sensors.sensors),
  };
}

/** Returns when the boot ends: now while something is worked on, or when the work failed. */
function endOf({ clock }: ReadServices, node: Node, [start]: Timeline['boot']): BootEnd {
  const { provision_state: state, provision_updated_at: since } = node;
  if (start === undefined) return undefined;
  const begun = Date.parse(start.at);
  if (isUnstable(state)) return { seconds: clock.age(begun) / 1000, state: 'running' };
  const failed = isFailure(state) && since !== null ? (Date.parse(since) - begun) / 1000 : 0;
  return failed > 0 ? { seconds: failed, state: 'failed' } : undefined;
}

/** After a failure, what was not seen by its usual time will not be seen. */
const lateIn = (missing: MissingHop | undefined): MissingHop | undefined =>
  missing !== undefined && missing.age > missing.usual ? { ...missing, late: true } : undefined;

export function readParts(services: ReadServices, node: Node): MachineParts {
  const { db } = services;
  const stored = keepsInventories(services) ? db.inventory.get(node.uuid) : undefined;
  const [inventory, pluginData] = [stored?.inventory, stored?.plugin_data].map(objectIn);
  const hardware = findShownHardware(services, node);
  return {
    hardware,
    parts: hardware?.hardware ?? (inventory && hardwareIn(inventory, pluginData ?? {}).hardware),
    inventory,
    cards: cardsShown(inventory, pluginData, db.ports.ofNode(node.uuid)),
  };
}

function objectIn(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  const found: unknown = JSON.parse(text);
  return isJsonObject(found) ? found : undefined;
}

function mainOf(all: readonly ShownSensor[]): readonly ShownSensor[] {
  const drawn = all.filter(({ course }) => course !== undefined);
  const temperatures = drawn.filter(({ unit }) => unit === 'celsius');
  const inlet = temperatures.find(({ id }) => /inlet|intake|ambient/i.test(id)) ?? temperatures[0];
  const [power] = drawn
    .filter(({ unit }) => unit === 'watts')
    .toSorted((a, b) => (b.greatest ?? 0) - (a.greatest ?? 0));
  return [inlet, power].filter((sensor) => sensor !== undefined);
}
