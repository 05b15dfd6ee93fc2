// Which kernel of an instance the ramdisk would start by kexec: read from what the boot loaders of distributions have on the disk.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { skipWithout } from '../../../setup/packages.ts';

const FOLDER = join(import.meta.dirname, '../../../../daemon/cli/agent-image/build');
const LOADERS = join(import.meta.dirname, '../../../fixtures/boot-loaders');
const FIND = `import json, sys
sys.dont_write_bytecode = True
sys.path.insert(0, ${JSON.stringify(FOLDER)})
from ironic_edge_grub import NotUnderstood
from ironic_edge_kernel import FileSystem, instance_kernel
try:
    print(json.dumps(instance_kernel([FileSystem(*each) for each in json.load(sys.stdin)])))
except NotUnderstood as reason:
    print(json.dumps({'reason': str(reason)}))`;
// which needs Python too
const skip = skipWithout('python3-cryptography');

interface Found {
  readonly kernel: string;
  readonly initrds: readonly string[];
  readonly options: string;
  readonly title: string;
  readonly source: string;
  readonly reason?: string;
}

/** The file systems of an instance, each a folder below one folder. */
class Disk {
  readonly folder = mkdtempSync(join(tmpdir(), 'instance-'));

  constructor(t: TestContext) {
    t.after(() => rmSync(this.folder, { recursive: true }));
  }

  /** The disk of a distribution: what its boot loader reads, and empty files where kernels and ramdisks are. */
  static of(t: TestContext, distribution: string, files: readonly string[]): Disk {
    const disk = new Disk(t);
    cpSync(join(LOADERS, distribution), disk.folder, { recursive: true });
    for (const file of files) disk.write(file);
    return disk;
  }

  write(name: string, text = ''): this {
    const file = join(this.folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return this;
  }

  /** `names`: UUID and label of file systems, by their folders. */
  kernel(names: Readonly<Record<string, readonly string[]>> = {}): Found {
    const systems = readdirSync(this.folder).map((name) => [join(this.folder, name), names[name] ?? []]);
    const options = { input: JSON.stringify(systems), stdio: ['pipe', 'pipe', 'inherit'] as const };
    const text = execFileSync('/usr/bin/python3', ['-c', FIND], { ...options, stdio: [...options.stdio] });
    return JSON.parse(text.toString().replaceAll(`${this.folder}/`, '')) as Found;
  }
}

const ROOT = 'root=UUID=4f0c5a3e-7a8d-4f7e-9a55-0d6f0a1b2c3d ro';
const CONSOLES = 'console=tty0 console=ttyS0,115200 earlyprintk=ttyS0,115200 consoleblank=0';

const debianFiles = (...versions: readonly string[]) =>
  versions.flatMap((each) => [`root/boot/vmlinuz-${each}`, `root/boot/initrd.img-${each}`]);

test('grub.cfg of Debian 12: the first entry', { skip }, (t) => {
  const disk = Disk.of(t, 'debian-12', debianFiles('6.1.0-25-amd64', '6.1.0-9-amd64'));
  assert.deepEqual(disk.kernel(), {
    kernel: 'root/boot/vmlinuz-6.1.0-25-amd64',
    initrds: ['root/boot/initrd.img-6.1.0-25-amd64'],
    options: `BOOT_IMAGE=/boot/vmlinuz-6.1.0-25-amd64 ${ROOT} ${CONSOLES}`,
    title: 'Debian GNU/Linux',
    source: '/boot/grub/grub.cfg',
  });
});

test('grub.cfg of Debian 13 with a saved entry in a submenu', { skip }, (t) => {
  const disk = Disk.of(t, 'debian-13', debianFiles('6.12.43+deb13-amd64', '6.12.41+deb13-amd64'));
  const { kernel, title } = disk.kernel();
  assert.equal(kernel, 'root/boot/vmlinuz-6.12.41+deb13-amd64');
  assert.equal(title, 'Debian GNU/Linux, with Linux 6.12.41+deb13-amd64');
  disk.write('root/boot/grub/grubenv', '# GRUB Environment Block\nnext_entry=1>3\n###\n');
  assert.match(disk.kernel().options, /single dis_ucode_ldr$/);
  disk.write('root/boot/grub/grubenv', '# GRUB Environment Block\nsaved_entry=gone\n###\n');
  assert.equal(disk.kernel().title, 'Debian GNU/Linux');
});

test('grub.cfg of Ubuntu on a file system for /boot, without a ramdisk', { skip }, (t) => {
  const version = '6.8.0-45-generic';
  const disk = Disk.of(t, 'ubuntu', [`boot/vmlinuz-${version}`, `boot/initrd.img-${version}`]);
  const options = 'ro console=tty1 console=ttyS0';
  const partition = 'root=PARTUUID=26f22d2b-892e-459e-ba29-0fdab351f296';
  assert.deepEqual(disk.kernel(), {
    kernel: `boot/vmlinuz-${version}`,
    initrds: [],
    options: `BOOT_IMAGE=/vmlinuz-${version} ${partition} ${options} panic=-1`,
    title: 'Ubuntu',
    source: '/grub/grub.cfg',
  });
  disk.write('boot/grub/grubenv', '# GRUB Environment Block\ninitrdfail=1\n###\n');
  const { initrds, options: second } = disk.kernel();
  assert.deepEqual(initrds, [`boot/initrd.img-${version}`]);
  assert.equal(second, `BOOT_IMAGE=/vmlinuz-${version} ${partition} ${options}`);
});

test('the file system that grub.cfg searches for comes first', { skip }, (t) => {
  const disk = Disk.of(t, 'ubuntu', [`boot/vmlinuz-6.8.0-45-generic`, `other/vmlinuz-6.8.0-45-generic`]);
  const uuid = '9f6b7d55-1c3a-4c57-8f0b-3f7a4a0a9f1e';
  assert.equal(disk.kernel({ other: [uuid] }).kernel, 'other/vmlinuz-6.8.0-45-generic');
  assert.equal(disk.kernel({ boot: [uuid] }).kernel, 'boot/vmlinuz-6.8.0-45-generic');
});

test('entries of Fedora: the newest one', { skip }, (t) => {
  const files = ['6.11.9-100.fc41.x86_64', '6.11.10-200.fc41.x86_64', '0-rescue'].flatMap((each) => [
    `boot/vmlinuz-${each}`,
    `boot/initramfs-${each}.img`,
  ]);
  const version = '6.11.10-200.fc41.x86_64';
  assert.deepEqual(Disk.of(t, 'fedora', files).kernel(), {
    kernel: `boot/vmlinuz-${version}`,
    initrds: [`boot/initramfs-${version}.img`],
    options: `BOOT_IMAGE=/vmlinuz-${version} root=UUID=a7e970a5-14fb-4a8a-ab09-603d1ac3fee9 ro rootflags=subvol=root no_timer_check net.ifnames=0 console=tty1 console=ttyS0,115200n8`,
    title: `Fedora Linux (${version}) 41 (Cloud Edition)`,
    source: `/loader/entries/0649288e52434223afde4c36460a375e-${version}.conf`,
  });
});

test('entries of CentOS: the saved one, with variables of grubenv, else of grub.cfg', { skip }, (t) => {
  const files = ['147', '193'].flatMap((each) => [
    `boot/vmlinuz-4.18.0-${each}.el8.x86_64`,
    `boot/initramfs-4.18.0-${each}.el8.x86_64.img`,
  ]);
  const disk = Disk.of(t, 'centos-8', files);
  const { kernel, initrds, options } = disk.kernel();
  assert.equal(kernel, 'boot/vmlinuz-4.18.0-147.el8.x86_64');
  assert.deepEqual(initrds, ['boot/initramfs-4.18.0-147.el8.x86_64.img']);
  const root = 'root=UUID=80c961de-0c21-44a3-b8e2-e7916053edea ro crashkernel=auto rhgb quiet';
  assert.equal(options, `BOOT_IMAGE=/vmlinuz-4.18.0-147.el8.x86_64 ${root}`);
  disk.write('boot/grub2/grubenv', '# GRUB Environment Block\n###\n');
  assert.equal(disk.kernel().options, 'BOOT_IMAGE=/vmlinuz-4.18.0-193.el8.x86_64 root=UUID=from-grub-cfg ro');
});

const MACHINE = 'a1b2c3d4e5f60718293a4b5c6d7e8f90';
const systemdFiles = ['6.12.9', '6.12.10', '6.12.11'].flatMap((each) => [
  `efi/${MACHINE}/${each}-amd64/linux`,
  `efi/${MACHINE}/${each}-amd64/initrd.img-${each}-amd64`,
]);

test('entries of systemd-boot: the newest one that has not failed too often', { skip }, (t) => {
  const disk = Disk.of(t, 'systemd-boot', systemdFiles);
  assert.deepEqual(disk.kernel(), {
    kernel: `efi/${MACHINE}/6.12.10-amd64/linux`,
    initrds: [`efi/${MACHINE}/6.12.10-amd64/initrd.img-6.12.10-amd64`],
    options: `${ROOT} console=ttyS0 systemd.machine_id=${MACHINE}`,
    title: 'Debian GNU/Linux 13 (trixie)',
    source: `/loader/entries/${MACHINE}-6.12.10-amd64+3.conf`,
  });
  disk.write('efi/loader/loader.conf', `default ${MACHINE}-6.12.9-amd64.conf\n`);
  assert.equal(disk.kernel().kernel, `efi/${MACHINE}/6.12.9-amd64/linux`);
});

test('what cannot be started has a reason', { skip }, (t) => {
  const reasonOf = (disk: Disk) => disk.kernel().reason;
  assert.match(reasonOf(new Disk(t).write('root/etc/hostname')) ?? '', /^no file system of the instance has/);
  const unified = new Disk(t).write('efi/EFI/Linux/debian.efi');
  assert.match(reasonOf(unified) ?? '', /unified kernel image/);
  const lost = Disk.of(t, 'debian-12', ['root/boot/vmlinuz-6.1.0-25-amd64']);
  assert.match(
    reasonOf(lost) ?? '',
    /names files that are on no file system .*initrd\.img-6\.1\.0-25-amd64$/,
  );
  const other = new Disk(t).write('root/boot/grub/grub.cfg', 'menuentry Windows {\n chainloader +1\n}\n');
  assert.match(reasonOf(other) ?? '', /boots no Linux kernel$/);
  const open = new Disk(t).write('root/boot/grub/grub.cfg', 'menuentry Debian {\n linux /vmlinuz\n');
  assert.match(reasonOf(open) ?? '', /ends before "}"/);
  const calls = 'function a {\n a\n}\na\nmenuentry Debian {\n linux /vmlinuz\n}\n';
  assert.match(reasonOf(new Disk(t).write('root/boot/grub/grub.cfg', calls)) ?? '', /calls itself/);
});

test('links are followed inside the file system, and no link leads out of it', { skip }, (t) => {
  const menu = 'menuentry Debian {\n linux /vmlinuz root=/dev/vda1\n initrd /initrd.img\n}\n';
  const disk = new Disk(t).write('root/boot/grub/grub.cfg', menu).write('root/boot/k').write('root/boot/i');
  symlinkSync('boot/k', join(disk.folder, 'root/vmlinuz'));
  symlinkSync('/../boot/./i', join(disk.folder, 'root/initrd.img'));
  const { kernel, initrds } = disk.kernel();
  assert.deepEqual([kernel, initrds], ['root/boot/k', ['root/boot/i']]);
  const outside = new Disk(t).write('root/boot/grub/grub.cfg', menu).write('root/initrd.img');
  symlinkSync('/bin/true', join(outside.folder, 'root/vmlinuz'));
  assert.match(outside.kernel().reason ?? '', /names files/);
  const endless = new Disk(t).write('root/boot/grub/grub.cfg', menu).write('root/initrd.img');
  symlinkSync('/vmlinuz', join(endless.folder, 'root/vmlinuz'));
  assert.match(endless.kernel().reason ?? '', /names files/);
});
