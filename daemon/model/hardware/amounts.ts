// How sentences about hardware write amounts, and how they name parts.
import type { HardwareDisk, HardwarePart } from './hardware.ts';

export const hardwarePartNames: Readonly<Record<HardwarePart, string>> = {
  serial: 'serial number',
  firmware: 'firmware',
  cpu_model: 'processor model',
  cpus: 'processors',
  cores: 'cores',
  threads: 'threads',
  memory_mib: 'memory',
  dimms: 'DIMMs',
  disks: 'disks',
  network_cards: 'network cards',
  accelerators: 'accelerators',
};
export const hardwareParts = Object.keys(hardwarePartNames) as readonly HardwarePart[];

/** `448 GiB`, or `1500 MiB` where that is no whole number of GiB. */
export const memoryText = (mib: number): string => (mib % 1024 === 0 ? `${mib / 1024} GiB` : `${mib} MiB`);

/** `480 GB` or `1.9 TB`: as disks are sold. */
export const diskSizeText = (bytes: number): string =>
  bytes >= 1e12 ? `${Number((bytes / 1e12).toFixed(1))} TB` : `${Number((bytes / 1e9).toFixed(1))} GB`;

/** `1.9 TB, nvme`. */
export const diskText = ({ bytes, kind }: Omit<HardwareDisk, 'id'>): string =>
  kind === null ? diskSizeText(bytes) : `${diskSizeText(bytes)}, ${kind}`;

const MOST_SENTENCES = 40;

/** The first sentences, and how many more there are. */
export const bounded = (sentences: readonly string[]): readonly string[] =>
  sentences.length <= MOST_SENTENCES
    ? sentences
    : [...sentences.slice(0, MOST_SENTENCES), `and ${sentences.length - MOST_SENTENCES} more`];
