import assert from 'node:assert/strict';
import { test } from 'node:test';
import { optionLine } from '../../../../daemon/boot/dnsmasq/dnsmasq-options.ts';
import type { ValidDhcpOption } from '../../../../daemon/boot/provider/valid-dhcp-options.ts';

test('each DHCP option is written with its dnsmasq number and its client tag', () => {
  const options: readonly ValidDhcpOption[] = [
    { name: 'bootfile-name', value: 'bootx64.efi' },
    { name: 'bootfile-name', value: 'snponly.efi', client: 'firmware' },
    { name: 'bootfile-name', value: 'http://192.0.2.1:8080/boot.ipxe?a=b&c=%20#d', client: 'ipxe' },
    { name: 'tftp-server-name', value: '192.0.2.135' },
    { name: 'tftp-server-address', value: '192.0.2.135' },
    { name: 'server-ip-address', value: '192.0.2.135' },
    { name: 'vendor-class', value: 'HTTPClient' },
    { name: 'bootfile-url', value: 'http://[2001:db8::1]/a.efi', client: 'firmware' },
    { name: 'bootfile-url', value: 'http://[2001:db8::1]/a.ipxe', client: 'ipxe' },
  ];
  assert.deepEqual(options.map(optionLine), [
    '67,bootx64.efi',
    'tag:!ipxe,67,snponly.efi',
    'tag:ipxe,67,http://192.0.2.1:8080/boot.ipxe?a=b&c=%20#d',
    '66,192.0.2.135',
    '150,192.0.2.135',
    '255,192.0.2.135',
    '60,HTTPClient',
    'tag:!ipxe6,option6:59,http://[2001:db8::1]/a.efi',
    'tag:ipxe6,option6:59,http://[2001:db8::1]/a.ipxe',
  ]);
});
