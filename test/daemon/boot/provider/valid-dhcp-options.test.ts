import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { validDhcpOptions } from '../../../../daemon/boot/provider/valid-dhcp-options.ts';
import type { DhcpOption } from '../../../../daemon/plugin-api/index.ts';
import { dhcpTask } from '../../../fakes/task.ts';

test('an option without a name or a value is skipped with a warning', () => {
  const task = dhcpTask();
  const given = [
    { name: 'tftp-server-name', value: null },
    { name: 'tftp-server-name', value: '' },
    { name: 'tftp-server-name' },
    { value: 'x' },
    { name: 'bootfile-name', value: 'a.efi' },
  ] as readonly DhcpOption[];
  assert.deepEqual(validDhcpOptions(given, task), [{ name: 'bootfile-name', value: 'a.efi' }]);
  assert.deepEqual(
    task.logged.map(({ level, message }) => `${level}: ${message}`),
    Array<string>(4).fill('warn: skipped a DHCP option without a name or a value'),
  );
});

const valid = (name: string, value: string) =>
  validDhcpOptions([{ name: name as DhcpOption['name'], value }], dhcpTask());

test('an invalid option name or value is rejected with a message that says what is expected', () => {
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
      assert.throws(() => valid(name, value), {
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
      assert.throws(() => valid(name, value), /Invalid DHCP option .*Expected an IPv4 address\.$/);
  for (const name of ['bootfile', '67', 'constructor', '__proto__'])
    assert.throws(() => valid(name, 'x'), /Expected one of vendor-class, tftp-server-name, bootfile-name/);
});

test('any non-empty option value is rejected, or is passed on unchanged and harmless in a file of dnsmasq', () => {
  const value = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.webUrl(), fc.ipV4(), fc.ipV6());
  const name = fc.constantFrom('bootfile-name', 'tftp-server-address', 'vendor-class', 'bootfile-url');
  fc.assert(
    fc.property(name, value, (option, text) => {
      let passed: readonly DhcpOption[];
      try {
        passed = valid(option, text);
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'DhcpOptionInvalid');
        return;
      }
      if (text === '') return assert.deepEqual(passed, []);
      assert.deepEqual(passed, [{ name: option, value: text }]);
      assert.match(text, /^[\x21-\x7e]{1,255}$/);
      assert.doesNotMatch(text, /[,"\\]/);
    }),
    { numRuns: 5000 },
  );
});
