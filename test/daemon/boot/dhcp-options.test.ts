import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dhcpOptionsFor } from '../../../daemon/boot/dhcp-options.ts';

const servers = { httpUrl: 'http://10.0.0.1:8080', tftp: '10.0.0.1' };
const machine = { protocol: 'ipxe', bootMode: 'uefi', architecture: 'x86_64', secureBoot: false } as const;
const files = (more: Partial<Parameters<typeof dhcpOptionsFor>[0]>) =>
  dhcpOptionsFor({ ...machine, ...more }, servers)
    .filter(({ name }) => name === 'bootfile-name')
    .map(({ value }) => value);

const names = (protocol: 'http' | 'pxe', bootMode: 'bios' | 'uefi') =>
  dhcpOptionsFor({ ...machine, protocol, bootMode }, servers).map(({ name }) => name);

test('the options for another DHCP server name the loader that firmware boots and the script that iPXE boots', () => {
  const script = 'http://10.0.0.1:8080/boot.ipxe';
  assert.deepEqual(files({}), ['snponly.efi', script]);
  assert.deepEqual(files({ bootMode: 'bios' }), ['undionly.kpxe', script]);
  assert.deepEqual(files({ architecture: 'aarch64' }), ['snponly-arm64.efi', script]);
  assert.deepEqual(files({ secureBoot: true })[0], 'bootx64.efi');
  assert.deepEqual(files({ protocol: 'pxe' })[0], 'bootx64.efi');
  assert.deepEqual(files({ protocol: 'pxe', bootMode: 'bios' })[0], 'pxelinux.0');
  assert.deepEqual(files({ protocol: 'http-ipxe' }), ['http://10.0.0.1:8080/snponly.efi', script]);
});

test('UEFI firmware that boots over HTTP gets its vendor class, other firmware the TFTP server', () => {
  assert.ok(names('http', 'uefi').includes('vendor-class'));
  assert.ok(!names('http', 'uefi').includes('tftp-server-address'));
  for (const found of [names('http', 'bios'), names('pxe', 'uefi')])
    assert.ok(found.includes('tftp-server-address') && !found.includes('vendor-class'));
});

test('a TFTP server with an IPv6 address is in no option of IPv4 addresses', () => {
  const ipv6 = { httpUrl: 'http://[2001:db8::1]:8080', tftp: '2001:db8::1' };
  const found = dhcpOptionsFor(machine, ipv6).map(({ name, value }) => [name, value]);
  assert.deepEqual(found, [
    ['bootfile-name', 'snponly.efi'],
    ['bootfile-name', 'http://[2001:db8::1]:8080/boot.ipxe'],
    ['tftp-server-name', '2001:db8::1'],
  ]);
});
