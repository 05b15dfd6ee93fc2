// Makes CD images that boot a kernel with UEFI, Secure Boot included, and with BIOS if isolinux is installed on this host.
import { access, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { claimRoom } from '../lib/files/disk-room.ts';
import { grubWords } from '../model/machine/kernel-parameters.ts';
import { installedProgram, requireSuccess, runBounded } from '../lib/run-bounded.ts';
import { fault } from '../model/faults.ts';
import { writeIso } from './iso.ts';

export interface BootCd {
  /** Absolute paths of regular files. */
  readonly kernel: string;
  readonly ramdisk: string | null;
  readonly commandLine: string;
  /** Shown on the machine's screen; letters, digits, blanks and `._~-`. */
  readonly title: string;
  /** The path of the new image; its folder is created. */
  readonly file: string;
}

const SHIM = '/usr/lib/shim/shimx64.efi.signed';
const MOK_MANAGER = '/usr/lib/shim/mmx64.efi.signed';
/** GRUB for CDs: looks for the file .disk/info and reads boot/grub/grub.cfg of the same CD. */
const GRUB = '/usr/lib/grub/x86_64-efi-signed/gcdx64.efi.signed';
const ISOLINUX = ['/usr/lib/ISOLINUX/isolinux.bin', '/usr/lib/syslinux/modules/bios/ldlinux.c32'] as const;
const PROGRAMS = ['xorriso', 'mformat', 'mcopy', 'mmd'];
/** What the boot loaders and the file system of a CD take at most. */
const BESIDE_BYTES = 32 * 1024 ** 2;
const LIMITS = { seconds: 120, memoryMebibytes: 2048, fileMebibytes: 8192 };

/** Rejects with an Error when a program fails, and like `refuseWithoutCdTools`. */
export async function makeBootCd(cd: BootCd, signal: AbortSignal): Promise<void> {
  await refuseWithoutCdTools();
  const folder = path.dirname(cd.file);
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const place = await mkdtemp(path.join(folder, 'making-'));
  try {
    const contents = [cd.kernel, ...(cd.ramdisk === null ? [] : [cd.ramdisk])];
    const sizes = await Promise.all(contents.map(async (file) => (await stat(file)).size));
    const draft = path.join(place, 'boot.iso');
    using _ = await claimRoom(
      draft,
      sizes.reduce((sum, size) => sum + size, BESIDE_BYTES),
    );
    const files = await filesOf(cd, place, signal);
    const argumentList = [...formatOptions(files), '-o', draft, ...grafts(files)];
    await writeIso(draft, { program: 'xorriso', argumentList, limits: LIMITS, signal });
    await rename(draft, cd.file);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** Rejects with ImageUnusable when a program or a UEFI boot loader is missing. */
export async function refuseWithoutCdTools(): Promise<void> {
  for (const program of PROGRAMS)
    if ((await installedProgram([program])) === undefined) throw missing(program);
  for (const file of [SHIM, GRUB]) if (!(await exists(file))) throw missing(file);
}

const missing = (what: string) =>
  fault('ImageUnusable', {
    image: 'the CD image of the ramdisk',
    reason: `${what} is missing; install what is needed to make CD images: apt install xorriso mtools shim-signed grub-efi-amd64-signed isolinux syslinux-common`,
  });

/** Files of the CD by their path on it. */
type CdFiles = Readonly<Record<string, string>>;

async function filesOf(cd: BootCd, place: string, signal: AbortSignal): Promise<CdFiles> {
  const written = async (name: string, content: string) => {
    const file = path.join(place, name);
    await writeFile(file, content);
    return file;
  };
  const [loader, library] = ISOLINUX;
  const hasBios = (await exists(loader)) && (await exists(library));
  return {
    kernel: cd.kernel,
    ...(cd.ramdisk !== null && { initrd: cd.ramdisk }),
    '.disk/info': await written('info', 'ironic-edge\n'),
    'boot/grub/grub.cfg': await written('grub.cfg', grubMenu(cd)),
    'efi.img': await efiPartition(place, signal),
    ...(hasBios && {
      'isolinux/isolinux.bin': await copied(loader, path.join(place, 'isolinux.bin')),
      'isolinux/ldlinux.c32': library,
      'isolinux/isolinux.cfg': await written('isolinux.cfg', isolinuxMenu(cd)),
    }),
  };
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/** Copies a file that the program which makes the image may change. Returns the path of the copy. */
async function copied(from: string, to: string): Promise<string> {
  await run('cp', [from, to]);
  return to;
}

const grubMenu = ({ title, commandLine, ramdisk }: BootCd): string =>
  [
    'set default=boot',
    'set timeout=0',
    `menuentry "ironic-edge: ${title}" --id boot {`,
    `  linux /kernel ${grubWords(commandLine)}`,
    ...(ramdisk === null ? [] : ['  initrd /initrd']),
    '}',
    '',
  ].join('\n');

const isolinuxMenu = ({ commandLine, ramdisk }: BootCd): string =>
  [
    'default boot',
    'label boot',
    '  kernel /kernel',
    `  append ${ramdisk === null ? '' : 'initrd=/initrd '}${commandLine}`,
    '',
  ].join('\n');

/** Returns the path of a FAT file system image with shim, which UEFI firmware starts, and GRUB, which shim starts. */
async function efiPartition(place: string, signal: AbortSignal): Promise<string> {
  const image = path.join(place, 'efi.img');
  // 8 MiB
  await run('mformat', ['-i', image, '-C', '-h', '64', '-s', '32', '-t', '8', '::'], signal);
  await run('mmd', ['-i', image, '::EFI', '::EFI/BOOT'], signal);
  const loaders = { 'BOOTX64.EFI': SHIM, 'grubx64.efi': GRUB, 'mmx64.efi': MOK_MANAGER };
  for (const [name, file] of Object.entries(loaders))
    if (await exists(file)) await run('mcopy', ['-i', image, file, `::EFI/BOOT/${name}`], signal);
  return image;
}

const FORMAT = '-as mkisofs -quiet -r -J -V IRONIC_EDGE -graft-points';
const BIOS = '-b isolinux/isolinux.bin -c isolinux/boot.cat -no-emul-boot -boot-load-size 4 -boot-info-table';
const UEFI = '-eltorito-alt-boot -e efi.img -no-emul-boot -isohybrid-gpt-basdat';

function formatOptions(files: CdFiles): readonly string[] {
  const hasBios = 'isolinux/isolinux.bin' in files;
  return [FORMAT, ...(hasBios ? [BIOS] : []), UEFI].flatMap((options) => options.split(' '));
}

// in the notation of -graft-points, `=` and `\` are special
const grafts = (files: CdFiles): readonly string[] =>
  Object.entries(files).map(
    ([name, file]) => `${name}=${file.replaceAll('\\', '\\\\').replaceAll('=', '\\=')}`,
  );

async function run(
  program: string,
  argumentList: readonly string[],
  signal = AbortSignal.any([]),
): Promise<void> {
  const bounded = { program, argumentList, limits: LIMITS, signal };
  requireSuccess(bounded, await runBounded(bounded));
}
