import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { optionLines } from '../../../../daemon/boot/dnsmasq/dnsmasq-options.ts';
import type { DhcpOption } from '../../../../daemon/plugin-api/index.ts';
import { dhcpTask } from '../../../fakes/task.ts';

test('each DHCP option is written with its dnsmasq number and its client tag', () => {
  const options: readonly DhcpOption[] = [
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
  assert.deepEqual(optionLines(options, dhcpTask()), [
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

test('an option without a name or a value is skipped with a warning', () => {
  const task = dhcpTask();
  const given = [
    { name: 'tftp-server-name', value: null },
    { name: 'tftp-server-name', value: '' },
    { name: 'tftp-server-name' },
    { value: 'x' },
    { name: 'bootfile-name', value: 'a.efi' },
  ] as readonly DhcpOption[];
  assert.deepEqual(optionLines(given, task), ['67,a.efi']);
  assert.deepEqual(
    task.logged.map(({ level, message }) => `${level}: ${message}`),
    Array<string>(4).fill('warn: skipped a DHCP option without a name or a value'),
  );
});

const lines = (name: string, value: string) =>
  optionLines([{ name: name as DhcpOption['name'], value }], dhcpTask());

test('an invalid option name or value is rejected with the expected format', () => {
  for (const value of [
    'a\nb',
    'a\rb',
    'a\0b',
    'a,b',
    'a b',
    'a\tb',
    'a"b',
    'a\\b',
    'ä',
    '\u2028',
    'a'.repeat(256),
  ])
    for (const name of ['bootfile-name', 'bootfile-url', 'tftp-server-name', 'vendor-class'])
      assert.throws(() => lines(name, value), {
        code: 'DhcpOptionInvalid',
        message: /^Invalid DHCP option \S+ for node 11111111-[^]*Expected at most 255 printable ASCII/,
      });
  for (const value of [
    'tftp.example',
    '192.0.2',
    '192.0.2.1,192.0.2.2',
    '2001:db8::1',
    '192.0.2.1\n',
    '0x7f000001',
  ])
    for (const name of ['tftp-server-address', 'server-ip-address'])
      assert.throws(() => lines(name, value), /Invalid DHCP option .*Expected an IPv4 address\.$/);
  for (const name of ['bootfile', '67', 'constructor', '__proto__'])
    assert.throws(() => lines(name, 'x'), /Expected one of vendor-class, tftp-server-name, bootfile-name/);
});

test('any option value is either rejected or written unchanged on one line', () => {
  const value = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.webUrl(), fc.ipV4(), fc.ipV6());
  const name = fc.constantFrom('bootfile-name', 'tftp-server-address', 'vendor-class', 'bootfile-url');
  fc.assert(
    fc.property(name, value, (option, text) => {
      let made: readonly string[];
      try {
        made = lines(option, text);
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'DhcpOptionInvalid');
        return;
      }
      for (const line of made) {
        assert.equal(line.split(',').slice(1).join(','), text);
        assert.match(line, /^(?:option6:)?\d+,[\x21-\x7e]{1,255}$/);
        assert.doesNotMatch(text, /[,"\\]/);
      }
    }),
    { numRuns: 5000 },
  );
});
