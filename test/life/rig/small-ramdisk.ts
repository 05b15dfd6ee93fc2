// A ramdisk of 2 MB that only reports how its machine booted, made of busybox and modules from a larger ramdisk.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { CpioEntry } from '../../../daemon/cli/agent-image/check/cpio.ts';
import { initramfsEntries } from '../../../daemon/cli/agent-image/check/initramfs.ts';
import { cpioArchive } from '../../fakes/cpio-archive.ts';

const MODULES = ['virtio_pci', 'virtio_net', 'af_packet', 'efivarfs'];
const BUSYBOX = '/bin/busybox';

/** `ramdisk` is the file with modules for the kernel that is to start the result. */
export async function tinyRamdisk(ramdisk: string): Promise<Buffer> {
  const modules = await modulesOf(ramdisk);
  return gzipSync(
    cpioArchive([
      ...['bin', 'dev', 'proc', 'sys', 'tmp', 'modules'].map((name) => ({ name, mode: 'folder' as const })),
      { name: 'bin/busybox', mode: 'program', contents: readFileSync(BUSYBOX) },
      ...['init', 'lease'].map((name) => ({
        name,
        mode: 'program' as const,
        contents: readFileSync(join(import.meta.dirname, 'tiny-ramdisk', name)),
      })),
      ...modules.map(({ name, contents }, index) => ({
        name: `modules/${String(index).padStart(2, '0')}-${name}`,
        mode: 'file' as const,
        contents,
      })),
    ]),
  );
}

interface Module {
  readonly name: string;
  readonly contents: Buffer;
}

/** In the order in which they can be loaded. */
async function modulesOf(ramdisk: string): Promise<readonly Module[]> {
  const index = await filesOf(ramdisk, ({ name }) => name.endsWith('/modules.dep'));
  const paths = loadOrder([...index.values()].join(''));
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
function loadOrder(index: string): readonly string[] {
  const order = MODULES.flatMap((module) => {
    const line = index
      .split('\n')
      .find((each) => basename(each.split(':')[0] ?? '').startsWith(`${module}.ko`));
    const [path, needs = ''] = (line ?? '').split(':');
    // others are built into the kernel
    return path === undefined || path === '' ? [] : [...needs.split(' ').filter(Boolean).toReversed(), path];
  });
  return [...new Set(order)];
}
