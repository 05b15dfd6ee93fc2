import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressIn, configuredSubnets } from '../../../../daemon/boot/dhcp/configured-subnets.ts';
import { ip, subnetOf } from '../../../fakes/boot/dhcp-site.ts';

const RANGE = 'range=10.0.0.50-10.0.0.60';
const configured = (mode: 'server' | 'proxy', ...subnet: readonly string[]) =>
  configuredSubnets({ subnet, mode });

test('subnets are refused if none has an interface, one has no range in server mode, or two overlap or share an interface', () => {
  assert.throws(() => configured('server', `10.0.0.0/24 ${RANGE}`), {
    message:
      '[dhcp_server] subnet = 10.0.0.0/24: name the network interface that requests arrive at: interface=NAME.',
  });
  assert.throws(() => configured('server', '10.0.0.0/24 interface=a'), {
    message: '[dhcp_server] subnet = 10.0.0.0/24: mode = server needs range=FIRST-LAST.',
  });
  assert.throws(
    () => configured('server', `10.0.0.0/24 ${RANGE} interface=a`, '10.0.0.0/16 range=10.0.9.1-10.0.9.2'),
    {
      message: '[dhcp_server] subnet = 10.0.0.0/16: it overlaps 10.0.0.0/24.',
    },
  );
  assert.throws(() => configured('proxy', '10.0.0.0/24 interface=a', '10.1.0.0/24 interface=a'), {
    message:
      '[dhcp_server] subnet = 10.1.0.0/24: interface a already has 10.0.0.0/24, and an interface can serve only one subnet.',
  });
});

test('proxy mode needs no range, and a relayed subnet no interface', () => {
  assert.equal(configured('proxy', '10.0.0.0/24 interface=a').length, 1);
  assert.equal(
    configured('server', `10.0.0.0/24 ${RANGE} interface=a`, '10.1.0.0/24 range=10.1.0.5-10.1.0.9').length,
    2,
  );
  assert.deepEqual(configured('server'), []);
});

const host = (...addresses: readonly string[]) => ({ name: 'a', mac: '52:54:00:00:00:01', addresses });

test("the server's address is the one in the interface's subnet", () => {
  const subnets = [subnetOf('10.0.0.0/24 interface=a')];
  assert.equal(addressIn(host('192.0.2.1', '10.0.0.7'), subnets), ip('10.0.0.7'));
  assert.throws(() => addressIn(host('192.0.2.1'), subnets), {
    message:
      '[dhcp_server] subnet = 10.0.0.0/24: interface a has no address in this subnet (it has 192.0.2.1); give it one, or correct the subnet.',
  });
});
