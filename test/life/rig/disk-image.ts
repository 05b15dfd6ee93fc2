// A whole-disk image that boots on BIOS and UEFI machines: a GPT with one EFI system partition, which has the boot loaders
// of both, a kernel and a ramdisk.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEBIBYTES = 64;
const FIRST_MEBIBYTE = 1;
// the end holds the second copy of the partition table
const PARTITION_MEBIBYTES = MEBIBYTES - 2;
// on a busy host, emulated timers are too late for the kernel's check of them
const KERNEL_PARAMETERS = 'console=ttyS0 quiet panic=10 no_timer_check';

const syslinux = (parameters: string) => `DEFAULT instance
PROMPT 0
TIMEOUT 1
LABEL instance
  LINUX /vmlinuz
  INITRD /initrd
  APPEND ${parameters}
`;
const loaderEntry = (parameters: string) => `title instance
linux /vmlinuz
initrd /initrd
options ${parameters}
`;

interface System {
  /** The path of the kernel. */
  readonly kernel: string;
  readonly ramdisk: Buffer;
  /** Further parameters of the kernel. */
  readonly parameters?: string;
}

/** Writes the image `file`, by default as qcow2. */
export function makeDiskImage(
  file: string,
  { kernel, ramdisk, parameters = '' }: System,
  format: 'qcow2' | 'raw' = 'qcow2',
): void {
  const allParameters = `${KERNEL_PARAMETERS} ${parameters}`.trimEnd();
  const work = mkdtempSync(join(tmpdir(), 'disk-image-'));
  const at = (name: string) => join(work, name);
  const [partition, disk] = [at('partition'), at('disk')];
  try {
    emptyFile(partition, PARTITION_MEBIBYTES);
    execFileSync('mkfs.vfat', ['-n', 'INSTANCE', partition], { stdio: 'ignore' });
    for (const [name, contents] of Object.entries({
      initrd: ramdisk,
      'syslinux.cfg': syslinux(allParameters),
      'loader.conf': 'timeout 0\ndefault instance.conf\n',
      'instance.conf': loaderEntry(allParameters),
    }))
      writeFileSync(at(name), contents);
    execFileSync('mmd', ['-i', partition, '::EFI', '::EFI/BOOT', '::loader', '::loader/entries']);
    const copy = (from: string, to: string) => execFileSync('mcopy', ['-i', partition, from, `::${to}`]);
    copy(kernel, 'vmlinuz');
    copy(at('initrd'), 'initrd');
    copy(at('syslinux.cfg'), 'syslinux.cfg');
    copy('/usr/lib/systemd/boot/efi/systemd-bootx64.efi', 'EFI/BOOT/BOOTX64.EFI');
    copy(at('loader.conf'), 'loader/loader.conf');
    copy(at('instance.conf'), 'loader/entries/instance.conf');
    execFileSync('syslinux', ['--install', partition]);
    emptyFile(disk, MEBIBYTES);
    const end = FIRST_MEBIBYTE + PARTITION_MEBIBYTES;
    const layout = [`--new=1:${FIRST_MEBIBYTE}M:${end}M`, '--typecode=1:EF00', '--attributes=1:set:2'];
    execFileSync('sgdisk', ['--set-alignment=1', ...layout, disk], { stdio: 'ignore' });
    write(partition, disk, ['bs=1M', `seek=${FIRST_MEBIBYTE}`]);
    write('/usr/lib/syslinux/mbr/gptmbr.bin', disk, ['bs=440', 'count=1']);
    if (format === 'raw') copyFileSync(disk, file);
    else execFileSync('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', '-c', disk, file]);
  } finally {
    rmSync(work, { recursive: true });
  }
}

function emptyFile(file: string, mebibytes: number): void {
  writeFileSync(file, '');
  truncateSync(file, mebibytes * 2 ** 20);
}

const write = (from: string, to: string, options: readonly string[]): void =>
  void execFileSync('dd', [`if=${from}`, `of=${to}`, 'conv=notrunc', 'status=none', ...options]);
