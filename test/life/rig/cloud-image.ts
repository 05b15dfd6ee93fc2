// An image of Debian 13 like those that Debian publishes for clouds: cloud-init and an ssh server, a GPT, GRUB for BIOS and UEFI,
// and a root file system in the last partition, which cloud-init lets grow.
import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** Where a mirror of Debian's images has the image, below its first folder. */
export const CLOUD_IMAGE = 'trixie/latest/debian-13-generic-amd64.qcow2';

const PACKAGES = [
  ['systemd-sysv', 'dbus', 'linux-image-cloud-amd64', 'initramfs-tools', 'grub-pc-bin'],
  ['grub-efi-amd64-signed', 'shim-signed', 'cloud-init', 'cloud-guest-utils', 'netplan.io'],
  ['systemd-resolved', 'openssh-server', 'sudo'],
].flat();
const SECTOR = 512;
const SECTORS_IN_MEBIBYTE = 2048;
/** In MiB: where the partitions of GRUB's core, UEFI and root begin, and how large root is. */
const [CORE, EFI, ROOT, ROOT_SIZE] = [1, 4, 36, 1400] as const;
const GRUB_MODULES =
  'biosdisk part_gpt ext2 search search_fs_uuid normal configfile linux echo test minicmd'.split(' ');
/** Where GRUB's boot sector names the sector of the core, and where the first sector of the core names the next one. */
const [BOOT_NAMES_CORE, CORE_NAMES_NEXT] = [0x5c, 0x1f4] as const;

/**
 * Makes the image and its checksum file below `folder`, the first folder of a mirror, unless they are there; takes some minutes.
 * Returns the path of the image.
 */
export function makeCloudImage(folder: string): string {
  const image = join(folder, CLOUD_IMAGE);
  if (existsSync(image)) return image;
  const latest = join(image, '..');
  mkdirSync(latest, { recursive: true });
  // not in a memory file system: the tree and the disk have some GiB
  const work = mkdtempSync(join(folder, 'building-'));
  try {
    const unfinished = join(work, 'image.qcow2');
    makeDisk(work, unfinished);
    const digest = createHash('sha512').update(readFileSync(unfinished)).digest('hex');
    writeFileSync(join(latest, 'SHA512SUMS'), `${digest}  debian-13-generic-amd64.qcow2\n`);
    renameSync(unfinished, image);
    return image;
  } finally {
    rmSync(work, { recursive: true });
  }
}

function makeDisk(work: string, image: string): void {
  const [tree, disk, root, efi] = ['tree', 'disk', 'root', 'efi'].map((name) => join(work, name)) as [
    string,
    string,
    string,
    string,
  ];
  run('mmdebstrap', '--variant=important', `--include=${PACKAGES.join(',')}`, 'trixie', tree);
  const uuid = randomUUID();
  configure(tree, uuid);
  const core = grubCore(tree, uuid);
  makeEfi(tree, { file: efi, uuid });
  const features = ['-O', '^metadata_csum_seed,^orphan_file'];
  run('mkfs.ext4', '-q', '-d', tree, '-U', uuid, ...features, root, `${ROOT_SIZE}M`);
  writeFileSync(disk, '');
  truncateSync(disk, (ROOT + ROOT_SIZE + 1) * 2 ** 20);
  const partitions = [
    [`--new=14:${CORE}M:${EFI}M`, '--typecode=14:EF02'],
    [`--new=15:${EFI}M:${ROOT}M`, '--typecode=15:EF00'],
    [`--new=1:${ROOT}M:${ROOT + ROOT_SIZE}M`, '--typecode=1:8300'],
  ].flat();
  // the ends above are the first bytes of what follows
  run(
    'sgdisk',
    ...partitions.map((word) => word.replace(/:(\d+)M$/, (_, end) => `:${lastSector(end)}`)),
    disk,
  );
  write(efi, disk, EFI * SECTORS_IN_MEBIBYTE);
  write(root, disk, ROOT * SECTORS_IN_MEBIBYTE);
  installGrub(work, { tree, core, disk });
  run('qemu-img', 'convert', '-f', 'raw', '-O', 'qcow2', '-c', disk, image);
}

const lastSector = (mebibytes: string): number => Number(mebibytes) * SECTORS_IN_MEBIBYTE - 1;

function configure(tree: string, uuid: string): void {
  const file = (name: string, text: string) => writeFileSync(join(tree, name), text);
  file('etc/fstab', `UUID=${uuid} / ext4 rw,discard,errors=remount-ro,x-systemd.growfs 0 1\n`);
  file('etc/hostname', 'localhost\n');
  file('etc/machine-id', 'uninitialized\n');
  mkdirSync(join(tree, 'boot/grub'), { recursive: true });
  const kernel = `linux /vmlinuz root=UUID=${uuid} ro console=tty0 console=ttyS0,115200`;
  file(
    'boot/grub/grub.cfg',
    `search --no-floppy --fs-uuid --set=root ${uuid}\nset timeout=0\nmenuentry Debian {\n  ${kernel}\n  initrd /initrd.img\n}\n`,
  );
}

/** Returns GRUB's core for BIOS machines, which finds the root file system by its UUID. */
function grubCore(tree: string, uuid: string): Buffer {
  const early = join(tree, 'tmp/early.cfg');
  appendFileSync(early, `search.fs_uuid ${uuid} root\nset prefix=($root)/boot/grub\n`);
  const options = ['-O', 'i386-pc', '-p', '/boot/grub', '-c', '/tmp/early.cfg', '-o', '/tmp/core.img'];
  run('chroot', tree, 'grub-mkimage', ...options, ...GRUB_MODULES);
  const core = readFileSync(join(tree, 'tmp/core.img'));
  for (const name of ['tmp/early.cfg', 'tmp/core.img']) rmSync(join(tree, name));
  return core;
}

/** The file system that UEFI firmware reads: shim and GRUB, in the folder of Debian and in that of removable media. */
function makeEfi(tree: string, { file, uuid }: { readonly file: string; readonly uuid: string }): void {
  const configuration = join(tree, 'tmp/grub.cfg');
  writeFileSync(
    configuration,
    `search.fs_uuid ${uuid} root\nset prefix=($root)/boot/grub\nconfigfile $prefix/grub.cfg\n`,
  );
  const [shim, grub] = [join(tree, 'usr/lib/shim'), join(tree, 'usr/lib/grub/x86_64-efi-signed')];
  writeFileSync(file, '');
  truncateSync(file, (ROOT - EFI) * 2 ** 20);
  run('mkfs.vfat', file);
  run('mmd', '-i', file, '::EFI', '::EFI/BOOT', '::EFI/debian');
  for (const [from, to] of [
    [join(shim, 'shimx64.efi.signed'), 'EFI/BOOT/BOOTX64.EFI'],
    [join(shim, 'shimx64.efi.signed'), 'EFI/debian/shimx64.efi'],
    [join(shim, 'BOOTX64.CSV'), 'EFI/debian/BOOTX64.CSV'],
    [join(grub, 'grubx64.efi.signed'), 'EFI/BOOT/grubx64.efi'],
    [join(grub, 'grubx64.efi.signed'), 'EFI/debian/grubx64.efi'],
    [configuration, 'EFI/debian/grub.cfg'],
  ] as const)
    run('mcopy', '-i', file, from, `::${to}`);
  rmSync(configuration);
}

interface Grub {
  readonly tree: string;
  readonly core: Buffer;
  readonly disk: string;
}

/** Writes GRUB's boot sector and core, as grub-bios-setup does on a real disk. */
function installGrub(work: string, { tree, core, disk }: Grub): void {
  const boot = readFileSync(join(tree, 'usr/lib/grub/i386-pc/boot.img'));
  boot.writeBigUInt64LE(BigInt(CORE * SECTORS_IN_MEBIBYTE), BOOT_NAMES_CORE);
  core.writeBigUInt64LE(BigInt(CORE * SECTORS_IN_MEBIBYTE + 1), CORE_NAMES_NEXT);
  const [sector, rest] = [join(work, 'boot.img'), join(work, 'core.img')];
  // the partition table follows these 440 bytes
  writeFileSync(sector, boot.subarray(0, 440));
  writeFileSync(rest, core);
  write(sector, disk, 0);
  write(rest, disk, CORE * SECTORS_IN_MEBIBYTE);
}

const write = (from: string, to: string, sector: number): void =>
  run(
    'dd',
    `if=${from}`,
    `of=${to}`,
    `seek=${sector * SECTOR}`,
    'oflag=seek_bytes',
    'bs=1M',
    'conv=notrunc,sparse',
  );

function run(program: string, ...words: readonly string[]): void {
  execFileSync(program, words, { stdio: ['ignore', 'ignore', 'inherit'] });
}
