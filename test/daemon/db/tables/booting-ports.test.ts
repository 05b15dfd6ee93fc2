import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dhcpSite, mac } from '../../../fakes/boot/dhcp-site.ts';

test('byMac returns what the DHCP server needs to know of the port with a MAC address and of its node', (t) => {
  const { db, enrol } = dhcpSite(t);
  enrol(mac(1), { boot: 'pxe', extra: { ipv4_address: '10.0.0.9' }, pxe_enabled: false });
  const { node_uuid: _, ...port } = db.bootingPorts.byMac(mac(1)) ?? {};
  assert.deepEqual(port, {
    secure_boot: false,
    pxe_enabled: false,
    ipv4_address: '10.0.0.9',
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
  assert.equal(db.bootingPorts.byMac(mac(1))?.ipv4_address, '{"a":1}');
});
