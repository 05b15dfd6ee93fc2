// What a machine is made of in a few words: `2 × Xeon Gold 6338`, `16 × 32 GiB`, `2 × 1.6 TB NVMe`.
import type { DiskKind, MachineHardware } from '../../../model/hardware/hardware.ts';
import type { CardShown } from './neighbours.ts';

/** A card of the tab Overview: its first line, and the line below it in smaller letters. Both are empty where nothing is known. */
export interface PartSummary {
  readonly title: string;
  readonly more: readonly string[];
}

const KINDS: Readonly<Record<DiskKind, string>> = { nvme: 'NVMe', ssd: 'SSD', hdd: 'HDD' };
const TERA = 1e12;
const GIGA = 1e9;

/** Returns a size as makers of disks count: `1.6 TB`. */
export function diskSize(bytes: number): string {
  if (bytes >= TERA) return `${Number((bytes / TERA).toPrecision(2))} TB`;
  return `${Math.max(1, Math.round(bytes / GIGA))} GB`;
}

export const memorySize = (mib: number): string =>
  mib >= 1024 ? `${Number((mib / 1024).toFixed(1))} GiB` : `${mib} MiB`;

/** Returns `2 × a, 1 × b`, the most frequent first; a single thing without a number. */
function counted(things: readonly string[]): string {
  const groups = [...Map.groupBy(things, (thing) => thing)].map(
    ([thing, all]) => [thing, all.length] as const,
  );
  const sorted = groups.toSorted(([, a], [, b]) => b - a);
  return sorted.map(([thing, count]) => (count === 1 ? thing : `${count} × ${thing}`)).join(', ');
}

const amount = (count: number | null, unit: string): readonly string[] =>
  count === null ? [] : [`${count} ${unit}`];

export const processorSummary = ({
  cpu_model: model,
  cpus,
  cores,
  threads,
}: MachineHardware): PartSummary => {
  const name = shortModel(model ?? '');
  return {
    title: name === '' || cpus === null || cpus < 2 ? name : `${cpus} × ${name}`,
    more: [...amount(cores, 'cores'), ...amount(threads, 'threads')],
  };
};

/** Returns the name of a processor without what all of them have: `Xeon Gold 6338`. */
export const shortModel = (model: string): string =>
  (model.split('@', 1)[0] ?? '')
    .replaceAll(/\((?:R|TM)\)/gi, '')
    .replaceAll(/\b(?:Intel|CPU|Processor)\b/g, '')
    .split(' ')
    .filter((word) => word !== '')
    .join(' ');

export const memorySummary = ({ memory_mib: mib, dimms }: MachineHardware): PartSummary => ({
  title: mib === null ? '' : memorySize(mib),
  more: dimms === null ? [] : [counted(dimms.map((dimm) => memorySize(dimm.mib)))],
});

export const diskSummary = ({ disks }: MachineHardware): PartSummary => {
  const things = (disks ?? []).map(({ bytes, kind }) =>
    kind === null ? diskSize(bytes) : `${diskSize(bytes)} ${KINDS[kind]}`,
  );
  const all = (disks ?? []).reduce((sum, { bytes }) => sum + bytes, 0);
  return { title: counted(things), more: things.length > 1 ? [`${diskSize(all)} in all`] : [] };
};

export const networkSummary = (cards: readonly CardShown[]): PartSummary => {
  const speeds = cards.flatMap(({ mbps }) => (mbps === null ? [] : [speedText(mbps)]));
  const links = cards.flatMap(({ neighbour }) =>
    neighbour === undefined ? [] : [`${neighbour.switch} ${neighbour.port}`.trim()],
  );
  return { title: speeds.length > 0 ? counted(speeds) : cardCount(cards.length), more: links };
};

const cardCount = (count: number): string =>
  count === 0 ? '' : `${count} network ${count === 1 ? 'port' : 'ports'}`;

export const speedText = (mbps: number): string => (mbps >= 1000 ? `${mbps / 1000} G` : `${mbps} M`);
