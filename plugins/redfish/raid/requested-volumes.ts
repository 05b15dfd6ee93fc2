// Chooses drives for the requested logical disks.
import { defineFault, type Json, type JsonObject, type Task } from '#plugin-api';
import { numberIn, stringsIn, textIn } from '../bmc/fields.ts';

export interface Drive {
  readonly path: string;
  readonly id: string;
  /** The id of the storage resource that the drive belongs to. */
  readonly controller: string;
  readonly bytes: number;
  /** HDD or SSD. */
  readonly mediaType: string | undefined;
  readonly protocol: string | undefined;
}

interface FreeDrive extends Drive {
  /** The bytes that are not taken yet. */
  readonly room: number;
}

export interface WantedVolume extends JsonObject {
  readonly controller: string;
  readonly raidType: string;
  /** The size in bytes; null: all the space of the drives. */
  readonly bytes: number | null;
  readonly drives: readonly string[];
  readonly name: string | null;
}

interface Level {
  readonly type: string;
  readonly minimum: number;
  /** Returns the space for data on `count` drives, counted in drives. The rest holds parity or copies. */
  readonly data: (count: number) => number;
  /** The drives are divided into this many equal groups; 1 if absent. */
  readonly spans?: number;
}

const levels: Readonly<Record<string, Level>> = {
  0: { type: 'RAID0', minimum: 1, data: (count) => count },
  1: { type: 'RAID1', minimum: 2, data: () => 1 },
  5: { type: 'RAID5', minimum: 3, data: (count) => count - 1 },
  6: { type: 'RAID6', minimum: 4, data: (count) => count - 2 },
  '1+0': { type: 'RAID10', minimum: 4, data: (count) => Math.floor(count / 2) },
  '5+0': { type: 'RAID50', minimum: 6, data: (count) => count - 2, spans: 2 },
  '6+0': { type: 'RAID60', minimum: 8, data: (count) => count - 4, spans: 2 },
};

const GIBIBYTE = 1024 ** 3;

const raidImpossible = defineFault(
  'RaidImpossible',
  400,
  'Node {node} cannot have the logical disk {disk}: {reason}.',
);

/** Throws RaidImpossible when a RAID level is unknown or there are not enough suitable drives. */
export function wantedVolumes(
  task: Task,
  disks: readonly JsonObject[],
  drives: readonly Drive[],
): readonly WantedVolume[] {
  // the bytes that are taken on each drive; Infinity on a drive that no other logical disk may use
  const taken = new Map<string, number>();
  return disks
    .toSorted((a, b) => orderOf(a) - orderOf(b))
    .map((disk) => {
      const impossible = (reason: string) =>
        raidImpossible({ node: task.node.uuid, disk: JSON.stringify(disk), reason });
      const level = levels[textIn(disk['raid_level']) ?? ''];
      if (level === undefined) throw impossible(`the levels are ${Object.keys(levels).join(', ')}`);
      const isShared = disk['share_physical_disks'] === true;
      const free = drives
        .map((drive) => ({ ...drive, room: drive.bytes - (taken.get(drive.path) ?? 0) }))
        .filter(({ path, room }) => room > 0 && (isShared || !taken.has(path)));
      const volume = volumeFor(disk, level, free);
      if (typeof volume === 'string') throw impossible(volume);
      const { bytes, drives: used } = volume;
      const each = isShared && bytes !== null ? bytes / level.data(used.length) : Infinity;
      for (const path of used) taken.set(path, (taken.get(path) ?? 0) + each);
      return volume;
    });
}

/** The order of planning: logical disks that name their drives come first, those of size MAX last. */
function orderOf(disk: JsonObject): number {
  if (disk['physical_disks'] !== undefined) return 0;
  return disk['size_gb'] === 'MAX' ? 2 : 1;
}

/** Returns the number of drives that the request fixes, if it does. */
function exactCount(disk: JsonObject): number | undefined {
  const named = stringsIn(disk['physical_disks']).length;
  return named > 0 ? named : numberIn(disk['number_of_physical_disks']);
}

/** Returns why the level cannot use exactly this number of drives; undefined if it can, or if no number is given. */
function miscountOf({ type, minimum, spans = 1 }: Level, exact: number | undefined): string | undefined {
  if (exact === undefined || (exact >= minimum && exact % spans === 0)) return undefined;
  const needed = spans > 1 ? `an even number of drives, at least ${minimum}` : `at least ${minimum} drives`;
  return `${type} needs ${needed}, and ${exact} are requested`;
}

/** Returns the volume; if it is impossible, the reason as part of a sentence. */
function volumeFor(disk: JsonObject, level: Level, free: readonly FreeDrive[]): WantedVolume | string {
  const miscount = miscountOf(level, exactCount(disk));
  if (miscount !== undefined) return miscount;
  const size = disk['size_gb'];
  const bytes = size === 'MAX' ? null : (numberIn(size) ?? 0) * GIBIBYTE;
  const fitting = free.filter((drive) => fits(drive, disk));
  const chosen = groups(fitting)
    .map((group) => choose(group, disk, level, bytes ?? 0))
    .find((each) => each !== undefined);
  if (chosen === undefined)
    return `of ${free.length} free drives, ${fitting.length} match, and no group of them is large enough`;
  return {
    controller: chosen[0]?.controller ?? '',
    raidType: level.type,
    bytes,
    drives: chosen.map(({ path }) => path),
    name: textIn(disk['volume_name']) ?? null,
  };
}

function fits(drive: Drive, disk: JsonObject): boolean {
  const named = stringsIn(disk['physical_disks']);
  return (
    (named.length === 0 || named.includes(drive.id)) &&
    isSame(disk['controller'], drive.controller) &&
    isSame(disk['disk_type'], drive.mediaType) &&
    isSame(disk['interface_type'], drive.protocol)
  );
}

const isSame = (wanted: Json | undefined, actual: string | undefined): boolean =>
  typeof wanted !== 'string' || wanted.toLowerCase() === actual?.toLowerCase();

/** Groups the drives. All drives of a group have the same controller, media type, protocol and size. */
const groups = (drives: readonly FreeDrive[]): readonly (readonly FreeDrive[])[] => [
  ...Map.groupBy(drives, kindOf).values(),
];

const kindOf = ({ controller, mediaType, protocol, bytes }: Drive): string =>
  JSON.stringify([controller, mediaType, protocol, bytes]);

function choose(
  group: readonly FreeDrive[],
  disk: JsonObject,
  level: Level,
  bytes: number,
): readonly Drive[] | undefined {
  const exact = exactCount(disk);
  const [least, most] = exact === undefined ? [level.minimum, group.length] : [exact, exact];
  for (let count = least; count <= Math.min(most, group.length); count += level.spans ?? 1) {
    const roomy = group.filter(({ room }) => level.data(count) * room >= bytes);
    if (roomy.length >= count) return roomy.slice(0, count);
  }
  return undefined;
}
