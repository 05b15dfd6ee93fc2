// Reads what the list of machines shows of each: the machine, its hardware, its image, its sensors, and how far its work is.
import { maskSecrets } from '../../model/secrets.ts';
import type { HardwareAmounts } from '../../db/tables/node-hardware.ts';
import { memberCondition } from '../../db/tables/table.ts';
import type { SensorReading } from '../../model/machine/sensors.ts';
import type { Node } from '../../model/records/node.ts';
import { isUnstable, statesOfClass } from '../../model/states/provision-states.ts';
import { MOST_MACHINES, readMachines, type ShownMachine } from './machines.ts';
import { nodePlanOf } from './node/node-plan.ts';
import type { ReadServices } from './services.ts';
import { readUsualTimes } from './usual-times.ts';

/** How far the work on a machine is. */
export interface RowProgress {
  /** Seconds since the work began. */
  readonly age: number;
  /** How many seconds the work usually takes; undefined where too little is known. */
  readonly usual: number | undefined;
  /** The number of the step that runs, from 1, and how many there are; undefined before the steps are planned. */
  readonly step: { readonly at: number; readonly of: number } | undefined;
}

export interface MachineRow extends ShownMachine {
  readonly driver: string;
  readonly resourceClass: string | null;
  /** How many units of its rack the machine takes. */
  readonly height: number;
  /** The name of the image in the catalogue, or its URL. */
  readonly image: string | null;
  readonly hardware: HardwareAmounts | undefined;
  readonly watts: number | null;
  /** Degrees Celsius of the air that goes in. */
  readonly inlet: number | null;
  readonly progress: RowProgress | undefined;
  readonly quarantineReason: string | null;
}

const ALL = { limit: MOST_MACHINES, sortKey: 'id', descending: false } as const;
const UNSTABLE = [...statesOfClass('transient'), ...statesOfClass('wait')];
const TALLEST = 20;

/** Returns all machines, in the order of their racks. */
export function readMachineRows(services: ReadServices): readonly MachineRow[] {
  const { db, sensors } = services;
  const details = new Map(
    db.nodes.list(['uuid', 'driver', 'resource_class', 'extra'], [], ALL).map((node) => [node.uuid, node]),
  );
  const hardware = new Map(db.hardware.amounts().map((amounts) => [amounts.node, amounts]));
  const images = db.nodes.imageSources();
  const reasons = new Map(db.quarantine.list().map(({ node_uuid: node, reason }) => [node, reason]));
  const machines = readMachines(services);
  const progress = readProgress(services, machines);
  return machines.map((machine) => {
    const { uuid } = machine;
    const { driver = '', resource_class: resourceClass = null, extra = {} } = details.get(uuid) ?? {};
    const readings = sensors.of(uuid)?.sensors ?? [];
    return {
      ...machine,
      driver,
      resourceClass,
      height: heightIn(extra['height']),
      image: maskedText(images.get(uuid)),
      hardware: hardware.get(uuid),
      watts: wattsIn(readings),
      inlet: inletIn(readings),
      progress: progress.get(uuid),
      quarantineReason: reasons.get(uuid) ?? null,
    };
  });
}

const heightIn = (given: unknown): number =>
  typeof given === 'number' && Number.isInteger(given) && given >= 1 && given <= TALLEST ? given : 1;

function readProgress(
  services: ReadServices,
  machines: readonly ShownMachine[],
): ReadonlyMap<string, RowProgress> {
  const { db, workTimes, clock } = services;
  const working = machines.filter(({ state }) => isUnstable(state));
  if (working.length === 0) return new Map();
  const plans = new Map(
    db.nodes
      .list(
        ['uuid', 'provision_state', 'driver_internal_info'],
        [memberCondition('provision_state', UNSTABLE)],
        ALL,
      )
      .map((node) => [node.uuid, stepIn(node)]),
  );
  const works = working.flatMap(({ uuid }) => {
    const work = workTimes.wholeOf(uuid);
    return work === undefined ? [] : [{ node: uuid, work: work.name, since: work.since }];
  });
  const usualOf = readUsualTimes(services, works);
  return new Map(
    works.map(({ node, work, since }) => {
      const age = Math.max(0, clock.age(since) / 1000);
      return [node, { age, usual: usualOf(node, work), step: plans.get(node) }];
    }),
  );
}

function stepIn(node: Node): RowProgress['step'] {
  const { steps, index } = nodePlanOf(node);
  const of = steps.length;
  return of === 0 ? undefined : { at: Math.min(of, index + 1), of };
}

/** Returns the power of the whole machine where a sensor has it; else what its supplies give together. */
function wattsIn(sensors: readonly SensorReading[]): number | null {
  const watts = sensors.filter(({ unit, reading }) => unit === 'watts' && reading !== null);
  const whole = watts.find(({ id }) => /control|consum|total|system|chassis|board/i.test(id));
  if (whole !== undefined) return whole.reading;
  return watts.length === 0 ? null : watts.reduce((sum, { reading }) => sum + (reading ?? 0), 0);
}

const inletIn = (sensors: readonly SensorReading[]): number | null =>
  sensors.find(
    ({ unit, id, reading }) => unit === 'celsius' && reading !== null && /inlet|intake|ambient/i.test(id),
  )?.reading ?? null;

/** The URL of an image may have a login. */
const maskedText = (text: string | undefined): string | null =>
  text === undefined ? null : maskSecrets(text);
