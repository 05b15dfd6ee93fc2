import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { readSetOptions } from '../../../../daemon/config/dhcp-options/set-options.ts';
import type { Json } from '../../../../daemon/model/json.ts';

/** The options as `CODE HEX`, with `!` for those that every machine gets; or the reason why they are refused. */
function read(given: Json, of: 'port' | 'subnet' = 'port'): readonly string[] | string {
  const reading = readSetOptions(given, of);
  if (reading.kind === 'unreadable') return reading.reason;
  return reading.value.map(
    ({ version, code, value, always }) =>
      `${version === 6 ? 'dhcp6.' : ''}${code}${always ? '!' : ''} ${Buffer.from(value).toString('hex')}`,
  );
}

test('options are named by number or by name, and have a type', () => {
  assert.deepEqual(read({ 'interface-mtu': 9000 }), ['26 2328']);
  assert.deepEqual(read({ 'Interface MTU': '1400', 'time-offset!': -3600 }), ['26 0578', '2! fffff1f0']);
  assert.deepEqual(read({ 26: 1400, 19: true, 46: 8 }), ['26 0578', '19 01', '46 08'].toSorted());
  assert.deepEqual(read({ 'log-server': ['10.0.0.1', '10.0.0.2'], 'root-path': '/srv/a,b' }), [
    '7 0a0000010a000002',
    `17 ${Buffer.from('/srv/a,b').toString('hex')}`,
  ]);
  assert.deepEqual(read({ 43: '01:04:0a:00:00:09' }), ['43 01040a000009']);
  assert.deepEqual(read({ 66: '10.0.0.9', 150: ['10.0.0.9', '10.0.0.10'] }), [
    `66 ${Buffer.from('10.0.0.9').toString('hex')}`,
    '150 0a0000090a00000a',
  ]);
});

test('search domains and classless routes are encoded as RFC 3397 and RFC 3442 say', () => {
  assert.deepEqual(read({ 119: ['eng.example', 'b.'] }), [
    '119 03656e67076578616d706c650001620000'.replace(/00$/, ''),
  ]);
  assert.deepEqual(
    read({ 121: ['0.0.0.0/0', '10.0.0.1', '10.17.0.0/16', '10.0.0.2', '10.229.0.128/25', '0.0.0.0'] }),
    ['121 000a000001100a110a000002190ae5008000000000'],
  );
});

test('options of DHCPv6 are named behind dhcp6. and have types of their own', () => {
  const [a, b] = ['20010db8000000000000000000000001', '20010db8000000000000000000000002'];
  assert.deepEqual(read({ 'dhcp6.dns-servers': ['2001:db8::1', '2001:db8::2'] }), [`dhcp6.23 ${a}${b}`]);
  assert.deepEqual(read({ 'DHCP6.56': '2001:db8::1,2001:db8::2' }), [`dhcp6.56 00010010${a}00010010${b}`]);
  assert.deepEqual(read({ 'dhcp6.bootfile-param!': ['root=/dev/ram0', 'quiet'] }), [
    `dhcp6.60! 000e${Buffer.from('root=/dev/ram0').toString('hex')}0005${Buffer.from('quiet').toString('hex')}`,
  ]);
  assert.deepEqual(read({ 'dhcp6.domain-search': 'a.example' }, 'subnet'), [
    'dhcp6.24 0161076578616d706c6500',
  ]);
  assert.deepEqual(read({ 'dhcp6.40000': 'ip:2001:db8::2', 26: 1400 }), ['26 0578', `dhcp6.40000 ${b}`]);
});

test('a value may begin with its type, and must when the option is not known', () => {
  assert.deepEqual(read({ 242: 'text:L2Q=1,L2QVLAN=5' }), [
    `242 ${Buffer.from('L2Q=1,L2QVLAN=5').toString('hex')}`,
  ]);
  assert.deepEqual(read({ 26: 'hex:0578', 160: 'ip:10.0.0.1,10.0.0.2', 161: 'uint32:7' }), [
    '26 0578',
    '160 0a0000010a000002',
    '161 00000007',
  ]);
  assert.equal(
    read({ 242: 'x' }),
    'option 242: the daemon does not know its type; begin the value with one of hex:, text:, ip:, uint8:, uint16:, uint32:',
  );
});

test('what cannot be sent is refused with a sentence that names the option', () => {
  const mistakes: readonly (readonly [Json, RegExp])[] = [
    [null, /^null is not an object of options and their values$/],
    [[], /^\[\] is not an object/],
    ['26=1', /is not an object/],
    [{ interfacemtu: 1 }, /^"interfacemtu" is neither .* nor a name of one; did you mean interface-mtu\?$/],
    [{ 0: 1 }, /^"0" is neither the number of an option, 1 to 254/],
    [{ 255: 1 }, /^"255" is neither/],
    [{ constructor: 1 }, /^"constructor" is neither/],
    [{ 26: 70000 }, /^option 26 \(interface-mtu\): "70000" is not an integer from 0 to 65535$/],
    [{ 26: 1.5 }, /"1.5" is not an integer/],
    [{ 26: '0x10' }, /"0x10" is not an integer/],
    [{ 46: 3 }, /^option 46 \(netbios-over-tcp-ip-node-type\): "3" is not one of 1, 2, 4, 8$/],
    [{ 7: '10.0.0' }, /"10.0.0" is not an IPv4 address/],
    [{ 33: '10.0.0.0' }, /not an even number of IPv4 addresses/],
    [{ 121: '10.0.0.1/8,10.0.0.1' }, /"10.0.0.1\/8" has host bits; the network is 10.0.0.0\/8/],
    [{ 121: '10.0.0.0/33,10.0.0.1' }, /not a network with its prefix length/],
    [{ 121: '10.0.0.0/8' }, /not NETWORK\/BITS,ROUTER for each route/],
    [{ 119: 'a..b' }, /"a..b" is not a domain name/],
    [{ 43: '012' }, /not bytes in hexadecimal/],
    [{ 17: 'x'.repeat(256) }, /it has 256 bytes; an option has 1 to 255/],
    [{ 17: '' }, /it has 0 bytes/],
    [{ 17: 'a\nb' }, /has control characters/],
    [{ 17: null }, /^option 17 \(root-path\): null is not a text, a number or a list of them$/],
    [{ 17: { a: 1 } }, /is not a text, a number or a list/],
    [{ 'dhcp6.23': '10.0.0.1' }, /^option dhcp6\.23 \(dns-servers\): "10.0.0.1" is not an IPv6 address$/],
    [
      { 'dhcp6.interface-mtu': 1 },
      /^"dhcp6.interface-mtu" is neither the number of an option, dhcp6\.1 to dhcp6\.65535, nor a name of one$/,
    ],
    [{ 'dhcp6.bootfile-parm': 'a' }, /did you mean dhcp6\.bootfile-param\?$/],
    [
      { 'dhcp6.60': 'x'.repeat(256) },
      /^option dhcp6\.60 \(bootfile-param\): "x+" has 256 bytes; at most 255 fit$/,
    ],
    [
      {
        'dhcp6.200': `text:${'x'.repeat(250)}`,
        'dhcp6.201': `text:${'x'.repeat(250)}`,
        'dhcp6.202': `text:${'x'.repeat(13)}`,
      },
      /^its options of DHCPv6 have 513 bytes together; at most 512 fit$/,
    ],
    [{ 'dhcp6.32': 1, 'dhcp6.information-refresh-time': 2 }, /^option dhcp6\.32 is set twice$/],
    [{ 26: 1400, 'interface-mtu!': 1400 }, /^option 26 is set twice$/],
  ];
  for (const [given, reason] of mistakes) assert.match(String(read(given)), reason, JSON.stringify(given));
});

test('options that the daemon or the client decides are refused by name', () => {
  for (const code of [
    1, 28, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 61, 77, 80, 82, 90, 93, 94, 97, 118, 175,
  ])
    assert.match(String(read({ [code]: 1 })), new RegExp(`^option ${code}.* cannot be set: `), String(code));
  for (const code of [1, 2, 3, 5, 6, 7, 9, 12, 14, 16, 18, 20, 59, 61, 79])
    assert.match(String(read({ [`dhcp6.${code}`]: 1 })), new RegExp(`^option dhcp6.${code} cannot be set: `));
  assert.equal(
    read({ 'ip-address-lease-time': 5 }),
    'option 51 (ip-address-lease-time) cannot be set: set [dhcp_server] lease_time',
  );
});

test('a port may have another router, and a subnet has a word for that', () => {
  assert.deepEqual(read({ router: '10.0.0.2' }), ['3 0a000002']);
  assert.equal(
    read({ router: '10.0.0.2' }, 'subnet'),
    'option 3 (router) has a word of its own: set router= in [dhcp_server] subnet',
  );
  assert.equal(
    read({ 'dhcp6.ntp-server': '2001:db8::1' }, 'subnet'),
    'option dhcp6.56 (ntp-server) has a word of its own: set ntp= in [dhcp_server] subnet',
  );
});

test('no value of a port makes reading throw, or an option longer than 255 bytes', () => {
  const keys = fc.oneof(fc.string(), fc.integer({ min: -1, max: 300 }).map(String));
  fc.assert(
    fc.property(fc.dictionary(keys, fc.jsonValue()), (given) => {
      const reading = readSetOptions(given as Json, 'port');
      if (reading.kind === 'read')
        for (const { value } of reading.value) assert.ok(value.length > 0 && value.length < 256);
    }),
  );
});
