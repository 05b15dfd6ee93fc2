import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { grubAliases, grubConfig, grubConfigName, grubStart } from '../../../../daemon/boot/scripts/grub.ts';
import {
  ipxeScript,
  ipxeScriptName,
  ipxeVolumeScript,
  startScript,
} from '../../../../daemon/boot/scripts/ipxe.ts';
import { pxelinuxConfig, pxelinuxConfigNames } from '../../../../daemon/boot/scripts/pxelinux.ts';

const MAC = '52:54:00:12:34:56';
const files = { kernel: '/nodes/u/kernel', ramdisk: '/nodes/u/ramdisk', commandLine: 'nofb vga=normal' };

describe('boot scripts', () => {
  it('have the names that each boot loader looks for', () => {
    assert.equal(ipxeScriptName(MAC), 'ipxe/52-54-00-12-34-56');
    assert.deepEqual(pxelinuxConfigNames(MAC), [
      'pxelinux.cfg/01-52-54-00-12-34-56',
      'pxelinux.cfg/20-52-54-00-12-34-56',
    ]);
    assert.equal(grubConfigName(MAC), 'grub/52:54:00:12:34:56.cfg');
    assert.deepEqual(grubAliases(MAC), ['52:54:00:12:34:56.conf', 'grub.cfg-01-52-54-00-12-34-56']);
  });

  it('for iPXE attach volumes, the first one as the boot drive, and report the first failure', () => {
    const way = { portal: '192.0.2.1', target: 'iqn.2026-01.example:disk', lun: 10 };
    const volumes = [[way, { ...way, portal: '[2001:DB8::1]:860' }], [{ ...way, lun: 300 }]];
    const login = { username: 'a b', password: '${x}\u00fc' };
    const initiator = 'iqn.2026-01.example:node-1';
    const script = ipxeVolumeScript('node u', { initiator, login, volumes }, 'http://h/failed');
    const first =
      'iscsi:192.0.2.1::3260:a:iqn.2026-01.example:disk iscsi:[2001:db8::1]::860:a:iqn.2026-01.example:disk';
    const wanted = [
      'set initiator-iqn iqn.2026-01.example:node-1',
      'set username:hex 61:20:62',
      'set password:hex 24:7b:78:7d:c3:bc',
      'sanunhook --drive 0x80 ||',
      'sanunhook --drive 0x81 ||',
      `sanhook --drive 0x80 ${first} || goto retry`,
      'sanhook --no-describe --drive 0x81 iscsi:192.0.2.1::3260:412c:iqn.2026-01.example:disk || goto retry',
      'sanboot --no-describe --drive 0x80 || goto retry',
      ':retry',
      'iseq ${attempt} 0 && imgfetch http://h/failed ||',
    ];
    const lines = script.split('\n');
    const start = lines.indexOf(wanted[0] ?? '');
    assert.deepEqual(lines.slice(start, start + wanted.length), wanted);
    assert.ok(lines.includes('reboot || exit 1') && !lines.some((line) => line.startsWith('poweroff')));
    const open = ipxeVolumeScript('node u', { initiator, login: null, volumes }, 'http://h/failed');
    assert.doesNotMatch(open, /username|password/);
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
