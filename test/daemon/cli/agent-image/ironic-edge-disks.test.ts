// The collector of the ramdisk that says what is on the disks.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { disksWithData } from '../../../../daemon/model/zero-touch/disk-contents.ts';
import { skipWithout } from '../../../setup/packages.ts';

const FOLDER = join(import.meta.dirname, '../../../../daemon/cli/agent-image/build');
const COLLECT = `import json, sys
sys.dont_write_bytecode = True
sys.path.insert(0, ${JSON.stringify(FOLDER)})
import ironic_edge_disks
report = json.load(sys.stdin)
ironic_edge_disks.collect(report, None)
print(json.dumps(report))`;
// which needs Python too
const skip = skipWithout('python3-cryptography') || skipWithout('fdisk');
const MEBIBYTE = 2 ** 20;
const PROGRAMS = `${process.env['PATH']}:/usr/sbin:/sbin`;

/** What is on a device, as lsblk tells it. */
interface Child {
  readonly name: string;
  readonly type: string;
  readonly children?: readonly Child[];
}

const run = (program: string, ...words: readonly string[]) =>
  execFileSync(program, words, { env: { PATH: PROGRAMS }, stdio: ['pipe', 'pipe', 'ignore'] }).toString();

const part = (name: string, children: readonly Child[] = []): Child => ({ name, type: 'part', children });

/** Files that stand for devices. */
class Workshop {
  readonly folder = mkdtempSync(join(tmpdir(), 'disks-'));

  constructor(t: TestContext) {
    t.after(() => rmSync(this.folder, { recursive: true }));
  }

  blank(name: string): string {
    const file = join(this.folder, name);
    writeFileSync(file, '');
    truncateSync(file, 8 * MEBIBYTE);
    return file;
  }

  partitioned(name: string, label: string, count: number): string {
    const file = this.blank(name);
    const lines = [`label: ${label}`, ...Array.from({ length: count }, () => ',1M')].join('\n');
    execFileSync('sfdisk', ['-q', file], { env: { PATH: PROGRAMS }, input: lines });
    return file;
  }

  /** `words`: what makes a file system or the like. */
  made(name: string, ...words: readonly [string, ...string[]]): string {
    const file = this.blank(name);
    run(...words, file);
    return file;
  }

  /** Makes a program lsblk, because only block devices have what the real one lists. */
  fakeLsblk(disks: Readonly<Record<string, readonly Child[]>>): void {
    for (const [file, children] of Object.entries(disks))
      writeFileSync(
        `${file}.lsblk`,
        JSON.stringify({ blockdevices: [{ name: file, type: 'disk', children }] }),
      );
    const program = join(this.folder, 'lsblk');
    writeFileSync(program, '#!/bin/sh\nfor device in "$@"; do :; done\nexec cat "$device.lsblk"\n');
    chmodSync(program, 0o755);
  }
}

function contentsOf(disks: readonly string[], path = PROGRAMS): Readonly<Record<string, string>> {
  const report = { inventory: { disks: disks.map((name) => ({ name })) } };
  const options = { input: JSON.stringify(report), env: { PATH: path } };
  const { disk_contents: contents } = JSON.parse(
    execFileSync('/usr/bin/python3', ['-c', COLLECT], options).toString(),
  ) as { disk_contents: Readonly<Record<string, string>> };
  return contents;
}

test('disks that are not empty are named with what is on them', { skip }, (t) => {
  const host = new Workshop(t);
  const ext4 = host.made('sda1', 'mkfs.ext4', '-q');
  const mirrored = host.made('md0', 'mkfs.ext4', '-q');
  const disks = {
    [host.partitioned('sda', 'gpt', 3)]: [
      part(ext4),
      part(host.made('sda2', 'mkswap')),
      part(host.blank('sda3')),
    ],
    [host.partitioned('sdb', 'dos', 1)]: [part(host.blank('sdb1'), [{ name: mirrored, type: 'raid1' }])],
    [host.made('sdc', 'mkswap')]: [],
    [host.blank('sdd')]: [],
    [host.partitioned('sde', 'gpt', 0)]: [],
    [host.blank('sdf')]: [part('/dev/no-such-device')],
    [host.blank('sdg')]: [],
  };
  writeFileSync(join(host.folder, 'sdg'), Buffer.alloc(512, 0xa5), { flag: 'r+' });
  host.fakeLsblk(disks);
  const contents = contentsOf(
    [...Object.keys(disks), join(host.folder, 'sdh')],
    `${host.folder}:${PROGRAMS}`,
  );
  assert.deepEqual(contents, {
    sda: 'gpt, 3 partitions, ext4, swap',
    sdb: 'dos, 1 partition, ext4',
    sdc: 'swap',
    sde: 'gpt',
    sdf: 'unreadable',
    sdg: 'data of an unknown format',
    sdh: 'unreadable',
  });
  assert.equal(disksWithData(JSON.stringify(contents))?.[0], 'sda: gpt, 3 partitions, ext4, swap');
});

test('empty disks are an empty list, and a report without disks has none', { skip }, () => {
  assert.deepEqual(disksWithData(JSON.stringify(contentsOf([]))), []);
  const options = { input: JSON.stringify({ inventory: {} }) };
  const report = execFileSync('/usr/bin/python3', ['-c', COLLECT], options).toString();
  assert.deepEqual(JSON.parse(report), { inventory: {} });
});

const skipReal = skip || (process.getuid?.() !== 0 && 'only root makes block devices');

test('lsblk and wipefs tell it of real devices', { skip: skipReal }, (t) => {
  const host = new Workshop(t);
  const loop = (file: string) => {
    const device = run('losetup', '--find', '--show', file).trim();
    t.after(() => void run('losetup', '--detach', device));
    return device;
  };
  const files = [host.partitioned('one', 'gpt', 2), host.made('two', 'mkfs.ext4', '-q'), host.blank('three')];
  const devices = files.map(loop);
  const [one = '', two = ''] = devices.map((device) => device.replace('/dev/', ''));
  assert.deepEqual(contentsOf(devices), { [one]: 'gpt', [two]: 'ext4' });
});
