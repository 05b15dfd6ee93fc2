// The newest readings of the sensors of each node, in memory.
import type { SensorReading } from '../../model/machine/sensors.ts';
import type { Node } from '../../model/records/node.ts';

export interface NodeReadings {
  readonly node: Pick<Node, 'uuid' | 'name' | 'driver' | 'instance_uuid'>;
  /** When the sensors were read, in milliseconds since the epoch. */
  readonly at: number;
  readonly sensors: readonly SensorReading[];
}

export class SensorReadings {
  /** Called each time the readings of a node are recorded. */
  readonly watchers = new Set<(readings: NodeReadings) => void>();
  readonly #newest = new Map<string, NodeReadings>();

  get all(): Iterable<NodeReadings> {
    return this.#newest.values();
  }

  of(uuid: string): NodeReadings | undefined {
    return this.#newest.get(uuid);
  }

  record(readings: NodeReadings): void {
    this.#newest.set(readings.node.uuid, readings);
    for (const watch of this.watchers) watch(readings);
  }

  forget(uuid: string): void {
    this.#newest.delete(uuid);
  }

  /** Forgets the readings of all nodes that are not in `uuids`. */
  keepOnly(uuids: readonly string[]): void {
    const kept = new Set(uuids);
    for (const uuid of this.#newest.keys()) if (!kept.has(uuid)) this.#newest.delete(uuid);
  }
}
