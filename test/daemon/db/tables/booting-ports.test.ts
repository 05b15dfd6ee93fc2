import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dhcpSite, mac } from '../../../fakes/boot/dhcp-site.ts';

test('byMac returns what the DHCP server needs to know of the port with a MAC address and of its node', (t) => {
  const { db, enrol } = dhcpSite(t);
  enrol(mac(1), {
    boot: 'pxe',
    extra: { ipv4_address: '10.0.0.9', ipv6_address: '2001:db8::9', dhcp_options: { 26: 9000 } },
    pxe_enabled: false,
  });
  const { node_uuid: _, ...port } = db.bootingPorts.byMac(mac(1)) ?? {};
  assert.deepEqual(port, {
    secure_boot: false,
    pxe_enabled: false,
    ipv4_address: '10.0.0.9',
    ipv6_address: '2001:db8::9',
    dhcp_options: '{"26":9000}',
    handed_to: null,
  });
  assert.equal(db.bootingPorts.byMac(mac(2)), undefined);
});

test('reservedFor returns the MAC address of the oldest port that reserves an address, whatever else is in `extra`', (t) => {
  const { db, enrol } = dhcpSite(t);
  enrol(mac(1), { extra: { ipv4_address: { a: 1 } } });
  enrol(mac(2), { extra: { ipv4_address: '10.0.0.9', other: ['x'] } });
  enrol(mac(3), { extra: { ipv4_address: '10.0.0.9' } });
  assert.equal(db.bootingPorts.reservedFor('10.0.0.9'), mac(2), 'the older port counts');
  assert.equal(db.bootingPorts.reservedFor('10.0.0.8'), undefined);
  enrol(mac(4), { extra: { ipv6_address: '2001:db8::9' } });
  assert.equal(db.bootingPorts.reservedFor('2001:db8::9'), mac(4));
  assert.equal(db.bootingPorts.byMac(mac(1))?.ipv4_address, '{"a":1}');
});

test('macOfClientId returns the MAC address of the oldest port with the client identifier, in whatever case it is written', (t) => {
  const { db, enrol } = dhcpSite(t);
  enrol(mac(1), { extra: { 'client-id': ['ff'] } });
  enrol(mac(2), { extra: { 'client-id': 'FF:00:0a' } });
  enrol(mac(3), { extra: { 'client-id': 'ff:00:0a' } });
  assert.equal(db.bootingPorts.macOfClientId('ff:00:0a'), mac(2));
  assert.equal(db.bootingPorts.macOfClientId('ff:00:0b'), undefined);
});
