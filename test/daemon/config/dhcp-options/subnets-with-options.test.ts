import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '../../../../daemon/config/load.ts';
import { withOptions } from '../../../../daemon/config/dhcp-options/subnets-with-options.ts';
import { subnetOf } from '../../../fakes/boot/dhcp-site.ts';

const A = subnetOf('10.0.0.0/24 range=10.0.0.5-10.0.0.9 router=10.0.0.1');
const B = subnetOf('10.1.0.0/24 range=10.1.0.5-10.1.0.9');

const settings = (...options: readonly string[]) => ({ mode: 'server', options }) as const;
const codes = (...options: readonly string[]) =>
  withOptions([A, B], settings(...options)).map((subnet) =>
    subnet.options.map(({ code, value }) => `${code}=${Buffer.from(value).toString('hex')}`),
  );

test('options are for all subnets or for one, and those of the subnet precede', () => {
  assert.deepEqual(codes('10.1.0.0/24 {"26": 1400, "7": "10.1.0.1"}', '{"26": 9000}'), [
    ['26=2328'],
    ['26=0578', '7=0a010001'],
  ]);
});

test('options of no subnet, in proxy mode, and routes that hide the router are refused', () => {
  assert.throws(() => codes('10.2.0.0/24 {"26": 1400}'), {
    message:
      '[dhcp_server] options: 10.2.0.0/24 is no subnet of [dhcp_server]; there are: 10.0.0.0/24, 10.1.0.0/24.',
  });
  assert.throws(() => withOptions([A], { mode: 'proxy', options: ['{"26": 1400}'] }), {
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
