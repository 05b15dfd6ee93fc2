// Ramdisks of some 2 MB: busybox, the scripts of a folder, and kernel modules from a larger ramdisk.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { CpioEntry } from '../../../daemon/cli/agent-image/check/cpio.ts';
import { initramfsEntries } from '../../../daemon/cli/agent-image/check/initramfs.ts';
import { cpioArchive } from '../../fakes/cpio-archive.ts';
import type { ProgramFile } from './iscsistart.ts';

/** The script that udhcpc runs for each event of its lease. */
const LEASE = 'reporting-ramdisk/lease';
const BUSYBOX = '/bin/busybox';
const NETWORK_MODULES = ['virtio_pci', 'virtio_net', 'af_packet'];
const DISK_MODULES = [
  ['virtio_scsi', 'sd_mod', 'isofs', 'vfat'],
  ['nls_cp437', 'nls_ascii', 'nls_iso8859-1'],
].flat();

/**
 * Makes a ramdisk that reports how its machine booted. `ramdisk` is the file of a larger ramdisk for the same kernel; the kernel
 * modules come from it. `busybox` is the program busybox for the machine's processor.
 */
export const reportingRamdisk = (ramdisk: string, busybox = BUSYBOX): Promise<Buffer> =>
  smallRamdisk(ramdisk, {
    scripts: ['reporting-ramdisk/init', LEASE],
    wanted: [...NETWORK_MODULES, 'efivarfs'],
    busybox,
  });

/**
 * Makes the ramdisk of a deployed instance. It reports how the machine booted and what the config drive and the disk hold, to the
 * URL in the config drive.
 */
export const instanceRamdisk = (ramdisk: string): Promise<Buffer> =>
  smallRamdisk(ramdisk, {
    scripts: ['instance-ramdisk/init', LEASE],
    wanted: [...NETWORK_MODULES, ...DISK_MODULES],
    busybox: BUSYBOX,
  });

/**
 * Makes the ramdisk of a system on an iSCSI volume. It attaches the volume that the firmware's table (iBFT) names, counts its boots
 * on it, and reports to the URL in the kernel's parameter report_url. `initiator` are the files of iscsistart.
 */
export const volumeRamdisk = (ramdisk: string, initiator: readonly ProgramFile[]): Promise<Buffer> =>
  smallRamdisk(ramdisk, {
    scripts: ['volume-ramdisk/init'],
    wanted: [...NETWORK_MODULES, ...DISK_MODULES, 'iscsi_ibft', 'iscsi_tcp', 'crc32c_generic'],
    busybox: BUSYBOX,
    programs: initiator,
  });

interface Content {
  /** Paths of scripts in this folder, among them one of `init`. */
  readonly scripts: readonly string[];
  /** Modules of the kernel. */
  readonly wanted: readonly string[];
  readonly busybox: string;
  readonly programs?: readonly ProgramFile[];
}

async function smallRamdisk(
  ramdisk: string,
  { scripts, wanted, busybox, programs = [] }: Content,
): Promise<Buffer> {
  const modules = await modulesOf(ramdisk, wanted);
  return gzipSync(
    cpioArchive([
      ...['bin', 'dev', 'proc', 'sys', 'tmp', 'modules', 'mnt'].map((name) => ({
        name,
        mode: 'folder' as const,
      })),
      { name: 'bin/busybox', mode: 'program', contents: readFileSync(busybox) },
      ...programs.flatMap(({ place, file }) => [
        ...foldersAbove(place).map((name) => ({ name, mode: 'folder' as const })),
        { name: place, mode: 'program' as const, contents: readFileSync(file) },
      ]),
      ...scripts.map((path) => ({
        name: basename(path),
        mode: 'program' as const,
        contents: readFileSync(join(import.meta.dirname, path)),
      })),
      ...modules.map(({ name, contents }, index) => ({
        name: `modules/${String(index).padStart(2, '0')}-${name}`,
        mode: 'file' as const,
        contents,
      })),
    ]),
  );
}

/** `lib` and `lib/x86_64-linux-gnu` for `lib/x86_64-linux-gnu/libc.so.6`. */
const foldersAbove = (place: string): readonly string[] =>
  place
    .split('/')
    .slice(0, -1)
    .map((_, index, names) => names.slice(0, index + 1).join('/'));

interface Module {
  readonly name: string;
  readonly contents: Buffer;
}

/** The wanted modules and the modules that they need, in an order in which they can be loaded. */
async function modulesOf(ramdisk: string, wanted: readonly string[]): Promise<readonly Module[]> {
  const index = await filesOf(ramdisk, ({ name }) => name.endsWith('/modules.dep'));
  const paths = loadOrder([...index.values()].join(''), wanted);
  const found = await filesOf(ramdisk, ({ name }) => paths.some((path) => name.endsWith(`/${path}`)));
  return paths.map((path) => {
    const [, packed] = [...found].find(([name]) => name.endsWith(`/${path}`)) ?? [];
    if (packed === undefined) throw new Error(`${ramdisk} has no ${path}, which its modules.dep names`);
    const contents = path.endsWith('.xz')
      ? execFileSync('xz', ['-dc'], { input: packed, maxBuffer: 2 ** 26 })
      : packed;
    return { name: basename(path).replace(/\.xz$/, ''), contents };
  });
}

async function filesOf(ramdisk: string, isWanted: (entry: CpioEntry) => boolean) {
  const files = new Map<string, Buffer>();
  for await (const entry of initramfsEntries(ramdisk)) {
    if (isWanted(entry)) files.set(entry.name, await entry.read());
  }
  return files;
}

/** modules.dep has a line for each module: its path, a colon, and what it needs, the immediate needs first. */
function loadOrder(index: string, wanted: readonly string[]): readonly string[] {
  const order = wanted.flatMap((module) => {
    const line = index
      .split('\n')
      .find((each) => basename(each.split(':')[0] ?? '').startsWith(`${module}.ko`));
    const [path, needs = ''] = (line ?? '').split(':');
    // modules that are not listed are built into the kernel
    return path === undefined || path === '' ? [] : [...needs.split(' ').filter(Boolean).toReversed(), path];
  });
  return [...new Set(order)];
}
