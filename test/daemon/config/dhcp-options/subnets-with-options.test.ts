import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '../../../../daemon/config/load.ts';
import { withOptions } from '../../../../daemon/config/dhcp-options/subnets-with-options.ts';
import { subnetOf } from '../../../fakes/boot/dhcp-site.ts';
import { subnet6Of } from '../../../fakes/dhcp6/dhcp6-site.ts';

const A = subnetOf('10.0.0.0/24 range=10.0.0.5-10.0.0.9 router=10.0.0.1');
const B = subnetOf('10.1.0.0/24 range=10.1.0.5-10.1.0.9');

const C = subnet6Of('2001:db8::/64 range=2001:db8::5-2001:db8::9');

const subnet = [A, B, C].map(({ cidr }) => `${cidr} interface=br0`);
const settings = (...options: readonly string[]) => ({ mode: 'server', subnet, options }) as const;
const codesOf = (subnets: ReturnType<typeof withOptions>) =>
  subnets.map(({ options }) =>
    options.map(({ code, value }) => `${code}=${Buffer.from(value).toString('hex')}`),
  );
const codes = (...options: readonly string[]) => codesOf(withOptions([A, B], settings(...options)));
const codes6 = (...options: readonly string[]) => codesOf(withOptions([C], settings(...options)));

test('options are for all subnets or for one, and those of the subnet precede', () => {
  assert.deepEqual(codes('10.1.0.0/24 {"26": 1400, "7": "10.1.0.1"}', '{"26": 9000}'), [
    ['26=2328'],
    ['26=0578', '7=0a010001'],
  ]);
});

test('an IPv6 subnet gets the options of DHCPv6, an IPv4 subnet the others', () => {
  const options = [
    '2001:db8::/64 {"dhcp6.31415": "uint8:2"}',
    '{"26": 9000, "dhcp6.information-refresh-time": 600, "dhcp6.31415": "uint8:1"}',
  ];
  assert.deepEqual(codes(...options), [['26=2328'], ['26=2328']]);
  assert.deepEqual(codes6(...options), [['32=00000258', '31415=02']]);
});

test('options of no subnet, in proxy mode, and routes that hide the router are refused', () => {
  assert.throws(() => codes('10.2.0.0/24 {"26": 1400}'), {
    message:
      '[dhcp_server] options: 10.2.0.0/24 is no subnet of [dhcp_server]; there are: 10.0.0.0/24, 10.1.0.0/24, 2001:db8::/64.',
  });
  assert.throws(() => withOptions([A], { subnet, mode: 'proxy', options: ['{"26": 1400}'] }), {
    message: /with mode = proxy, the other DHCP server gives the settings/,
  });
  assert.throws(() => codes('{"121": "10.9.0.0/16,10.0.0.3"}'), {
    message:
      '[dhcp_server] options: 10.0.0.0/24: machines that read option 121 ignore router=; add the route 0.0.0.0/0,10.0.0.1 to the option.',
  });
  assert.deepEqual(codes('{"121": "10.9.0.0/16,10.0.0.3,0.0.0.0/0,10.0.0.1"}')[0], [
    '121=100a090a000003000a000001',
  ]);
  assert.equal(
    codes('10.1.0.0/24 {"121": "10.9.0.0/16,10.1.0.3"}')[1]?.length,
    1,
    'a subnet without a router',
  );
});

const loaded = (text: string) =>
  loadConfig({
    file: { path: 'ironic.conf', text },
    environment: {},
    sections: [],
    machine: { hostname: 'h', address: '127.0.0.1', workingDirectory: '/', cpus: 1, version: '1' } as never,
  });

test('the configuration is refused with the reason, and its line', () => {
  assert.throws(
    () => loaded('[dhcp_server]\noptions = 10.0.0.0/24 {"interface-mtu": "big"}\n'),
    /ironic\.conf:2: \[dhcp_server\] options = .*: expected a JSON object of DHCP options, .*; but 10\.0\.0\.0\/24 \{.*\}: option 26 \(interface-mtu\): "big" is not an integer from 0 to 65535/,
  );
  assert.throws(
    () => loaded('[dhcp_server]\noptions = 2001:db8::/64 {"interface-mtu": 9000}\n'),
    /option 26 is one of IPv4; the options of an IPv6 subnet begin with dhcp6\., as in dhcp6\.domain-search/,
  );
  assert.throws(
    () => loaded('[dhcp_server]\noptions = 10.0.0.0/24 {"dhcp6.60": "a"}\n'),
    /option dhcp6\.60 is one of IPv6, and 10\.0\.0\.0\/24 is an IPv4 subnet/,
  );
  for (const text of ['mtu=9', '{"26": 9', '10.0.0.0/24', '10.0.0.0/24 []'])
    assert.throws(
      () => loaded(`[dhcp_server]\noptions = ${text}\n`),
      /expected a JSON object of DHCP options/,
      text,
    );
  const { config } = loaded(
    '[dhcp_server]\noptions = {"7": ["10.0.0.1", "10.0.0.2"], "26": 1400}\noptions = 10.0.0.0/24 {"26": 9000}\n',
  );
  assert.equal(config.dhcp_server.options.length, 2);
});
