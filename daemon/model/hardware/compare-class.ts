// Compares a machine with its hardware class, and makes a class of a machine.
import { bounded, diskText, memoryText, hardwarePartNames } from './amounts.ts';
import { countsOf } from './drift.ts';
import type { MachineHardware, HardwarePart } from './hardware.ts';
import type { CardGroup, DiskGroup, HardwareClass } from './hardware-class.ts';

export interface ClassComparison {
  /** Sentences such as `memory: 448 GiB, class web has 512 GiB`. */
  readonly differences: readonly string[];
  /** What the class names and no report lists. */
  readonly unchecked: readonly HardwarePart[];
}

export function compareWithClass(hardware: MachineHardware, expected: HardwareClass): ClassComparison {
  const parts = Object.keys(comparisons) as readonly ComparedPart[];
  const named = parts.filter((part) => isNamed(expected[part]));
  const seen = named.filter((part) => hardware[part] !== null);
  return {
    differences: bounded(seen.flatMap((part) => comparisons[part](hardware, expected))),
    unchecked: named.filter((part) => !seen.includes(part)),
  };
}

const isNamed = (part: HardwareClass[ComparedPart]) =>
  part !== null && (typeof part === 'number' || part.length > 0);

type ComparedPart = HardwarePart & keyof HardwareClass;
type Comparison = (hardware: MachineHardware, expected: HardwareClass) => readonly string[];

const has = (
  what: string,
  seen: string | number,
  { name }: HardwareClass,
  expected: string | number,
): string => `${what}: ${seen}, class ${name} has ${expected}`;

const value =
  (part: 'cpus' | 'cores' | 'threads'): Comparison =>
  ({ [part]: seen }, expected) =>
    seen === expected[part] ? [] : [has(hardwarePartNames[part], seen ?? 0, expected, expected[part] ?? 0)];

const isNear = (seen: number, expected: number, percent: number): boolean =>
  Math.abs(seen - expected) <= (expected * percent) / 100;

const comparisons: Readonly<Record<ComparedPart, Comparison>> = {
  cpus: value('cpus'),
  cores: value('cores'),
  threads: value('threads'),
  memory_mib({ memory_mib: seen, dimms }, expected) {
    const wanted = expected.memory_mib ?? 0;
    if (seen === null || isNear(seen, wanted, expected.memory_tolerance_percent)) return [];
    const listed = dimms === null || dimms.length === 0 ? '' : `; ${dimms.length} DIMMs are listed`;
    return [`${has('memory', memoryText(seen), expected, memoryText(wanted))}${listed}`];
  },
  disks({ disks }, expected) {
    const { disk_tolerance_percent: percent } = expected;
    return compareGroups<DiskGroup, NonNullable<typeof disks>[number]>(disks ?? [], expected.disks, {
      fits: (disk, { size_gb: size, kind }) =>
        isNear(disk.bytes, size * GIGABYTE, percent) && (kind === undefined || (disk.kind ?? kind) === kind),
      isSure: ({ kind }, group) => kind !== null || group.kind === undefined,
      few: (group, count) => has(`disks of ${diskText(wantedDisk(group))}`, count, expected, group.count),
      more: (disk) =>
        `disk ${disk.id ?? 'without a serial number'} (${diskText(disk)}) is not in class ${expected.name}`,
    });
  },
  network_cards: ({ network_cards: cards }, expected) =>
    compareGroups<CardGroup, NonNullable<typeof cards>[number]>(cards ?? [], expected.network_cards, {
      fits: ({ mbps }, { speed_mbps: speed }) => speed === undefined || (mbps ?? speed) === speed,
      isSure: ({ mbps }, { speed_mbps: speed }) => speed !== undefined && mbps !== null,
      few: ({ count, speed_mbps: speed }, seen) =>
        has(`network cards${speed === undefined ? '' : ` of ${speed} Mbit/s`}`, seen, expected, count),
      more: ({ mac, mbps }) =>
        `network card ${mac}${mbps === null ? '' : ` (${mbps} Mbit/s)`} is not in class ${expected.name}`,
    }),
  accelerators({ accelerators }, expected) {
    const seen = countsOf(accelerators ?? []);
    const wanted = countsOf(
      expected.accelerators.flatMap(({ count, device }) => Array<string>(count).fill(device)),
    );
    return [...new Set([...wanted.keys(), ...seen.keys()])].flatMap((device) => {
      const [is, must] = [seen.get(device) ?? 0, wanted.get(device) ?? 0];
      return is === must ? [] : [has(`accelerators ${device}`, is, expected, must)];
    });
  },
  firmware: ({ firmware }, expected) =>
    expected.firmware.includes(firmware ?? '')
      ? []
      : [has('firmware', firmware ?? '', expected, expected.firmware.join(' or '))],
};

const GIGABYTE = 1e9;
const wantedDisk = ({ size_gb: size, kind }: DiskGroup) => ({ bytes: size * GIGABYTE, kind: kind ?? null });

interface GroupRules<Group, Item> {
  readonly fits: (item: Item, group: Group) => boolean;
  /** Whether the item is known to fit, instead of only not known to be something else. */
  readonly isSure: (item: Item, group: Group) => boolean;
  readonly few: (group: Group, count: number) => string;
  readonly more: (item: Item) => string;
}

/** Gives each group what surely fits first, and then what may fit; no item counts twice. */
function compareGroups<Group extends { readonly count: number }, Item>(
  items: readonly Item[],
  groups: readonly Group[],
  { fits, isSure, few, more }: GroupRules<Group, Item>,
): readonly string[] {
  const left = new Set(items);
  const counts = groups.map(() => 0);
  for (const onlySure of [true, false])
    for (const [at, group] of groups.entries())
      for (const item of left) {
        if ((counts[at] ?? 0) >= group.count) break;
        if (!fits(item, group) || (onlySure && !isSure(item, group))) continue;
        left.delete(item);
        counts[at] = (counts[at] ?? 0) + 1;
      }
  return [
    ...groups.flatMap((group, at) => ((counts[at] ?? 0) < group.count ? [few(group, counts[at] ?? 0)] : [])),
    ...Array.from(left, more),
  ];
}

/** The body that creates a class of machines like this one. Firmware is left out: it is meant to change. */
export function classLike(name: string, hardware: MachineHardware) {
  const { cpus, cores, threads, memory_mib, disks, network_cards: cards, accelerators } = hardware;
  const all = {
    cpus,
    cores,
    threads,
    memory_mib,
    disks:
      disks &&
      grouped(disks.map(({ bytes, kind }) => ({ size_gb: soldSize(bytes), ...(kind !== null && { kind }) }))),
    network_cards: cards && grouped(cards.map(({ mbps }) => (mbps === null ? {} : { speed_mbps: mbps }))),
    accelerators: accelerators && grouped(accelerators.map((device) => ({ device }))),
  };
  return { name, ...Object.fromEntries(Object.entries(all).filter(([, part]) => part !== null)) };
}

const soldSize = (bytes: number): number => Number((bytes / GIGABYTE).toPrecision(3));

function grouped(items: readonly object[]): readonly object[] {
  const counts = countsOf(items.map((item) => JSON.stringify(item)));
  return Array.from(counts, ([text, count]) => ({ count, ...(JSON.parse(text) as object) }));
}
