// Whole-disk images with a GUID partition table (GPT): one with an empty partition, and one that a boot loader can read.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { MEBIBYTE } from '../fakes/images.ts';

export function partitionedDisk(t: TestContext, bytes = 8 * MEBIBYTE): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'instance-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'disk');
  writeFileSync(file, '');
  truncateSync(file, bytes);
  execFileSync('sgdisk', ['--new=1:1M:+4M', file], { stdio: 'ignore' });
  return readFileSync(file);
}

const LOADERS = join(import.meta.dirname, '../fixtures/boot-loaders');
const VERSION = '6.11.10-200.fc41.x86_64';

/** The layout of Fedora: partitions for UEFI, for /boot with entries of the Boot Loader Specification, and for root. */
export function fedoraDisk(t: TestContext): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'instance-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [file, boot] = [join(folder, 'disk'), join(folder, 'boot')];
  writeFileSync(file, '');
  truncateSync(file, 14 * MEBIBYTE);
  const partitions = ['1:1M:+3M', '2:5M:+3M', '3:9M:+3M'].map((each) => `--new=${each}`);
  execFileSync('sgdisk', [...partitions, '--typecode=1:EF00', file], { stdio: 'ignore' });
  const onPartition = (start: string, program: string, ...words: readonly string[]) =>
    execFileSync(program, ['-i', `${file}@@${start}`, ...words]);
  for (const start of ['1M', '5M', '9M'])
    onPartition(start, 'mformat', '-T', String((3 * MEBIBYTE) / 512), '::');
  cpSync(join(LOADERS, 'fedora/boot'), boot, { recursive: true });
  writeFileSync(join(boot, `vmlinuz-${VERSION}`), 'the kernel');
  writeFileSync(join(boot, `initramfs-${VERSION}.img`), 'the ramdisk');
  for (const name of readdirSync(boot)) onPartition('5M', 'mcopy', '-s', join(boot, name), '::');
  onPartition('1M', 'mmd', '::EFI');
  onPartition('9M', 'mmd', '::etc');
  return readFileSync(file);
}
