import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { publishStartFiles, publishUnknownBoot } from '../../../daemon/boot/start-files.ts';
import { createNetworkBoots, type KernelBoot } from '../../../daemon/boot/network-boots.ts';
import { createServedFiles, type ServedFiles } from '../../../daemon/boot/served-files.ts';
import type { Database } from '../../../daemon/db/database.ts';
import { startInProcess } from '../../fakes/daemon/in-process-daemon.ts';

const MAC = '52:54:00:12:34:56';
const httpUrl = 'http://10.0.0.1:8080';
const boot: KernelBoot = {
  protocol: 'ipxe',
  title: 'cleaning of node one',
  kernel: '/srv/kernel',
  ramdisk: '/srv/ramdisk',
  commandLine: 'nofb',
};

function bootsOf(db: Database, files: ServedFiles) {
  const boots = createNetworkBoots(db, files);
  boots.serveFrom(httpUrl);
  return boots;
}

const textOf = (files: ServedFiles, name: string): string | undefined => {
  const served = files.find(name);
  return served?.kind === 'bytes' ? Buffer.from(served.bytes).toString() : served?.path;
};

describe('the network boots of nodes', () => {
  it('publish kernel, ramdisk, and scripts for each card that boots from the network', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    await daemon.createPort(uuid, MAC);
    await daemon.createPort(uuid, '52:54:00:00:00:02', { pxe_enabled: false });
    const files = createServedFiles();
    bootsOf(daemon.services.db, files).set(uuid, boot);
    assert.equal(textOf(files, `nodes/${uuid}/kernel`), '/srv/kernel');
    assert.equal(textOf(files, `nodes/${uuid}/ramdisk`), '/srv/ramdisk');
    assert.match(
      textOf(files, 'ipxe/52-54-00-12-34-56') ?? '',
      new RegExp(`kernel ${httpUrl}/nodes/${uuid}/kernel nofb`),
    );
    assert.match(textOf(files, `grub/${MAC}.cfg`) ?? '', new RegExp(`linux /nodes/${uuid}/kernel nofb`));
    assert.match(textOf(files, 'pxelinux.cfg/01-52-54-00-12-34-56') ?? '', /append nofb/);
    assert.equal(files.find('ipxe/52-54-00-00-00-02'), undefined);
  });

  it('publish a CD image with a script for iPXE only', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    await daemon.createPort(uuid, MAC);
    const files = createServedFiles();
    bootsOf(daemon.services.db, files).set(uuid, { protocol: 'ipxe', title: 'live', iso: '/srv/live.iso' });
    assert.equal(textOf(files, `nodes/${uuid}/boot.iso`), '/srv/live.iso');
    assert.match(
      textOf(files, 'ipxe/52-54-00-12-34-56') ?? '',
      new RegExp(`^sanboot --no-describe ${httpUrl}/nodes/${uuid}/boot.iso`, 'm'),
    );
    assert.equal(files.find(`grub/${MAC}.cfg`), undefined);
  });

  it('publish the other files of a boot, besides kernel and ramdisk, under the names that the boot gives them', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    const { db } = daemon.services;
    const more = { 'secret/x/ks.cfg': { text: 'lang en_US' }, 'secret/y/stage2': { path: '/srv/stage2' } };
    bootsOf(db, createServedFiles()).set(uuid, { ...boot, files: more });
    const files = createServedFiles();
    const boots = bootsOf(db, files);
    assert.equal(textOf(files, 'secret/x/ks.cfg'), 'lang en_US');
    assert.equal(textOf(files, 'secret/y/stage2'), '/srv/stage2');
    boots.clear(uuid);
    assert.equal(files.find('secret/x/ks.cfg'), undefined);
  });

  it('survive a restart, are published for ports created later, and are withdrawn by clear', async (t) => {
    const daemon = await startInProcess(t);
    const { db } = daemon.services;
    const { uuid } = await daemon.createNode();
    bootsOf(db, createServedFiles()).set(uuid, boot);
    const files = createServedFiles();
    const boots = bootsOf(db, files);
    assert.deepEqual(boots.of(uuid), boot);
    assert.equal(files.find('ipxe/52-54-00-12-34-56'), undefined);
    await daemon.createPort(uuid, MAC);
    boots.refresh(uuid);
    assert.notEqual(files.find('ipxe/52-54-00-12-34-56'), undefined);
    boots.clear(uuid);
    assert.equal(files.find('ipxe/52-54-00-12-34-56'), undefined);
    assert.equal(files.find(`nodes/${uuid}/kernel`), undefined);
    assert.equal(bootsOf(db, files).of(uuid), undefined);
  });
});

describe('files for every machine', () => {
  it('include the loaders and their start scripts, and the boot for unknown machines while one is set', () => {
    const files = createServedFiles();
    publishStartFiles(
      files,
      { found: { 'snponly.efi': { kind: 'file', path: '/x' } }, missing: [] },
      httpUrl,
    );
    assert.equal(textOf(files, 'snponly.efi'), '/x');
    assert.match(textOf(files, 'boot.ipxe') ?? '', /^#!ipxe\nset base http:\/\/10\.0\.0\.1:8080\n/);
    assert.match(textOf(files, 'grub/grub.cfg') ?? '', /source \/grub\/\$net_default_mac\.cfg/);
    assert.equal(files.find('ipxe/unknown'), undefined);
    publishUnknownBoot(files, boot, httpUrl);
    const kernelName = () =>
      /kernel http:\/\/10\.0\.0\.1:8080\/(unknown\/\S+\/kernel) nofb/.exec(
        textOf(files, 'ipxe/unknown') ?? '',
      )?.[1] ?? '';
    const ramdiskBeside = (kernel: string) => textOf(files, kernel.replace(/kernel$/, 'ramdisk'));
    const first = kernelName();
    assert.deepEqual([textOf(files, first), ramdiskBeside(first)], ['/srv/kernel', '/srv/ramdisk']);
    publishUnknownBoot(files, { ...boot, kernel: '/new/kernel', ramdisk: '/new/ramdisk' }, httpUrl, boot);
    const second = kernelName();
    assert.deepEqual([textOf(files, second), ramdiskBeside(second)], ['/new/kernel', '/new/ramdisk']);
    assert.equal(ramdiskBeside(first), '/srv/ramdisk', 'a machine with the earlier script gets its own pair');
    publishUnknownBoot(files, undefined, httpUrl);
    assert.equal(files.find('ipxe/unknown'), undefined);
  });
});
