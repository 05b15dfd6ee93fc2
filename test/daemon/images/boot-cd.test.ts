// Bootable CD images, read back with isoinfo of genisoimage and with xorriso.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { makeBootCd } from '../../../daemon/images/boot-cd.ts';
import { skipWithout } from '../../setup/packages.ts';

const skip =
  skipWithout('isolinux') ||
  skipWithout('genisoimage') ||
  skipWithout('xorriso') ||
  skipWithout('mtools') ||
  skipWithout('shim-signed') ||
  skipWithout('grub-efi-amd64-signed');

test(
  'a CD holds kernel, ramdisk, menus and boot entries for UEFI and BIOS, and is the only file in its folder',
  { skip },
  async (t) => {
    const directory = mkdtempSync(path.join(tmpdir(), 'boot-cd-'));
    t.after(() => rmSync(directory, { recursive: true }));
    const [kernel, ramdisk] = [path.join(directory, 'kernel=1'), path.join(directory, 'ramdisk')];
    writeFileSync(kernel, 'the kernel');
    writeFileSync(ramdisk, 'the ramdisk');
    const file = path.join(directory, 'out', 'boot.iso');
    await makeBootCd(
      { kernel, ramdisk, commandLine: 'a=1 key="b c" d=;x', title: 'cleaning of node-1', file },
      new AbortController().signal,
    );
    const isoinfo = (...words: readonly string[]) =>
      execFileSync('isoinfo', ['-i', file, ...words], { encoding: 'utf8' });
    const content = (name: string) => isoinfo('-R', '-x', name);
    assert.equal(content('/kernel'), 'the kernel');
    assert.equal(content('/initrd'), 'the ramdisk');
    assert.match(
      content('/boot/grub/grub.cfg'),
      /"ironic-edge: cleaning of node-1"[^]*linux \/kernel a=1 'key=b c' 'd=;x'\n {2}initrd \/initrd\n/,
    );
    assert.match(content('/isolinux/isolinux.cfg'), /append initrd=\/initrd a=1 key="b c" d=;x\n/);
    assert.match(isoinfo('-d'), /El Torito VD version 1 found/);
    const report = execFileSync('xorriso', ['-indev', file, '-report_el_torito', 'plain'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    assert.match(report, /El Torito boot img :.*BIOS/);
    assert.match(report, /El Torito boot img :.*UEFI/);
    assert.deepEqual(readdirSync(path.dirname(file)), ['boot.iso']);
  },
);

test('the error names what is missing on the host', async (t) => {
  const directory = mkdtempSync(path.join(tmpdir(), 'boot-cd-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const cd = {
    kernel: '/nowhere/kernel',
    ramdisk: null,
    commandLine: '',
    title: 'x',
    file: path.join(directory, 'boot.iso'),
  };
  await assert.rejects(
    makeBootCd(cd, new AbortController().signal),
    /nowhere\/kernel|apt install xorriso mtools/,
  );
});
