import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { grubAliases, grubConfig, grubConfigName, grubStart } from '../../../../daemon/boot/scripts/grub.ts';
import { ipxeScript, ipxeScriptName, startScript } from '../../../../daemon/boot/scripts/ipxe.ts';
import { pxelinuxConfig, pxelinuxConfigName } from '../../../../daemon/boot/scripts/pxelinux.ts';

const MAC = '52:54:00:12:34:56';
const files = { kernel: '/nodes/u/kernel', ramdisk: '/nodes/u/ramdisk', commandLine: 'nofb vga=normal' };

describe('boot scripts', () => {
  it('have the names that each boot loader looks for', () => {
    assert.equal(ipxeScriptName(MAC), 'ipxe/52-54-00-12-34-56');
    assert.equal(pxelinuxConfigName(MAC), 'pxelinux.cfg/01-52-54-00-12-34-56');
    assert.equal(grubConfigName(MAC), 'grub/52:54:00:12:34:56.cfg');
    assert.deepEqual(grubAliases(MAC), ['52:54:00:12:34:56.conf', 'grub.cfg-01-52-54-00-12-34-56']);
  });

  it('for iPXE fetch kernel and ramdisk over HTTP and name the ramdisk for UEFI', () => {
    const http = { ...files, kernel: 'http://h/nodes/u/kernel', ramdisk: 'http://h/nodes/u/ramdisk' };
    const lines = ipxeScript('cleaning of node u', http).split('\n');
    assert.equal(lines[0], '#!ipxe');
    assert.ok(lines.includes('initrd http://h/nodes/u/ramdisk || goto retry'));
    assert.ok(
      lines.includes(
        'kernel http://h/nodes/u/kernel nofb vga=normal BOOTIF=01-${mac:hexhyp} initrd=ramdisk || goto retry',
      ),
    );
    assert.ok(!ipxeScript('t', { ...http, ramdisk: null }).includes('initrd'));
  });

  it('for iPXE try the script of every network card and that of unknown machines', () => {
    const text = startScript('http://10.0.0.1:8080');
    for (const part of [
      'set base http://10.0.0.1:8080',
      '${base}/ipxe/${mac:hexhyp}',
      '${base}/ipxe/${net${card}/mac:hexhyp}',
      '${base}/ipxe/unknown',
    ])
      assert.ok(text.includes(part), part);
  });

  it('for GRUB and pxelinux name kernel and ramdisk by path, without a server', () => {
    assert.match(grubStart, /source \/grub\/\$net_default_mac\.cfg/);
    assert.match(
      grubConfig('t', files),
      /linux \/nodes\/u\/kernel nofb vga=normal BOOTIF=\$net_default_mac\n {2}initrd \/nodes\/u\/ramdisk\n/,
    );
    assert.match(
      pxelinuxConfig('t', files),
      /kernel \/nodes\/u\/kernel\n {2}initrd \/nodes\/u\/ramdisk\n {2}append nofb vga=normal\n/,
    );
  });
});
