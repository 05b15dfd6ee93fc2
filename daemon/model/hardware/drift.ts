// Drift: what changed in a machine between two inspections by the same source.
import { bounded, diskText, hardwareParts, memoryText, hardwarePartNames, diskSizeText } from './amounts.ts';
import type { MachineHardware, HardwareDisk, HardwarePart, SeenHardware } from './hardware.ts';

export interface Drift {
  /** The parts that both reports list, and with what this report does not list as it was: what the next report is compared with. */
  readonly hardware: MachineHardware;
  readonly compared: readonly HardwarePart[];
  /** Sentences such as `disk S3Z8NX0K (480 GB, ssd) is gone`. */
  readonly changes: readonly string[];
}

const LISTS = ['dimms', 'disks', 'network_cards', 'accelerators'] as const;

/**
 * What a BMC does not list it may only not see, such as disks while the machine is off, so its empty lists say nothing. Lists of a
 * partial report say nothing either. An agent that lists no disk has looked, and found none.
 */
export function listedHardware({ hardware, isPartial }: SeenHardware, isFromBmc: boolean): MachineHardware {
  const unknown = LISTS.filter((part) => isPartial || (isFromBmc && hardware[part]?.length === 0));
  return { ...hardware, ...Object.fromEntries(unknown.map((part) => [part, null])) };
}

/** `before`: undefined at the first inspection by this source. */
export function driftBetween(before: MachineHardware | undefined, now: MachineHardware): Drift {
  if (before === undefined) return { hardware: now, compared: [], changes: [] };
  const compared = hardwareParts.filter((part) => before[part] !== null && now[part] !== null);
  const lacking = hardwareParts.filter((part) => now[part] === null);
  const kept = Object.fromEntries(lacking.map((part) => [part, before[part]]));
  const changes = compared.flatMap((part) => comparisons[part](before, now));
  return { hardware: { ...now, ...kept }, compared, changes: bounded(changes) };
}

type Comparison = (before: MachineHardware, now: MachineHardware) => readonly string[];

const value =
  (part: 'serial' | 'firmware' | 'cpu_model' | 'cpus' | 'cores' | 'threads'): Comparison =>
  ({ [part]: before }, { [part]: now }) =>
    before === now ? [] : [`${hardwarePartNames[part]}: ${now}, before ${before}`];

const comparisons: Readonly<Record<HardwarePart, Comparison>> = {
  serial: value('serial'),
  firmware: value('firmware'),
  cpu_model: value('cpu_model'),
  cpus: value('cpus'),
  cores: value('cores'),
  threads: value('threads'),
  memory_mib: ({ memory_mib: before }, { memory_mib: now }) =>
    before === now ? [] : [`memory: ${memoryText(now ?? 0)}, before ${memoryText(before ?? 0)}`],
  dimms: (before, now) => named(dimmsBySlot(before), dimmsBySlot(now)),
  disks: (before, now) => [
    ...named(disksById(before), disksById(now)),
    ...counted('disks without a serial number', unnamedDisks(before), unnamedDisks(now)),
  ],
  network_cards: (before, now) => named(cardsByMac(before), cardsByMac(now)),
  accelerators: ({ accelerators: before }, { accelerators: now }) =>
    counted('accelerators', before ?? [], now ?? []),
};

const dimmsBySlot = ({ dimms }: MachineHardware): ReadonlyMap<string, string> =>
  new Map(dimms?.map(({ slot, mib }) => [`DIMM ${slot}`, memoryText(mib)]));

const cardsByMac = ({ network_cards: cards }: MachineHardware): ReadonlyMap<string, string> =>
  new Map(cards?.map(({ mac }) => [`network card ${mac}`, '']));

const disksById = ({ disks }: MachineHardware): ReadonlyMap<string, string> =>
  new Map(disks?.flatMap((disk) => (disk.id === null ? [] : [[`disk ${disk.id}`, sizeOf(disk)] as const])));

// the kind is left out: a controller that reports it differently has not changed the disk
const sizeOf = ({ bytes }: HardwareDisk): string => diskSizeText(bytes);

const unnamedDisks = ({ disks }: MachineHardware): readonly string[] =>
  (disks ?? []).filter(({ id }) => id === null).map((disk) => diskText(disk));

/** Compares what has a name of its own. The values: what is said of each in brackets. */
function named(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): readonly string[] {
  return [
    ...[...before].flatMap(([name, was]) => {
      const is = now.get(name);
      if (is === undefined) return [`${name}${said(was)} is gone`];
      return is === was ? [] : [`${name}: ${is}, before ${was}`];
    }),
    ...[...now].flatMap(([name, is]) => (before.has(name) ? [] : [`${name}${said(is)} is new`])),
  ];
}

const said = (text: string) => (text === '' ? '' : ` (${text})`);

/** Compares how many there are of each sort of what has no name. */
function counted(what: string, before: readonly string[], now: readonly string[]): readonly string[] {
  const [earlier, later] = [countsOf(before), countsOf(now)];
  return [...new Set([...earlier.keys(), ...later.keys()])].flatMap((sort) => {
    const [was, is] = [earlier.get(sort) ?? 0, later.get(sort) ?? 0];
    return was === is ? [] : [`${what} (${sort}): ${is}, before ${was}`];
  });
}

export function countsOf(sorts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const sort of sorts) counts.set(sort, (counts.get(sort) ?? 0) + 1);
  return counts;
}
