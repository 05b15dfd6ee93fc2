import assert from 'node:assert/strict';
import test from 'node:test';
import type { JsonObject } from '#plugin-api';
import { physicalNetwork } from '../../../../plugins/inspection/interfaces/physical-network.ts';
import { draftOf, port } from '../draft.ts';

const MAC = '02:00:00:00:00:01';
const map = ['10.20.0.0/16:wide', '10.20.110.0/24:prov', '2001:db8:12:1::/64:data', '192.0.2.7/32:one'];

function after(addresses: JsonObject, before: string | null = null, physical_network_cidr_map = map) {
  const draft = draftOf({
    pluginData: { all_interfaces: { e: { mac_address: MAC, pxe_enabled: true, ...addresses } } },
    ports: [port(MAC.toUpperCase(), { physical_network: before }), port('02:00:00:00:00:02')],
    inspector: { physical_network_cidr_map },
  });
  physicalNetwork.call?.(draft);
  assert.equal(draft.ports[1]?.physical_network, null);
  return draft.ports[0]?.physical_network;
}

test('physical_network is the first match in physical_network_cidr_map, IPv4 before IPv6', () => {
  assert.equal(after({ ipv4_address: '10.20.110.57', ipv6_address: '2001:db8:12:1::70' }), 'wide');
  assert.equal(after({ ipv4_address: '203.0.113.1', ipv6_address: '2001:DB8:12:1::70%eth0' }), 'data');
  assert.equal(after({ ipv4_address: '192.0.2.7', ipv6_address: null }, 'old'), 'one');
});

test('a port without a matching address keeps its physical_network', () => {
  for (const ipv4_address of ['203.0.113.1', '192.0.2.8', 'banana', null, 5])
    assert.equal(after({ ipv4_address }, 'old'), 'old');
  assert.equal(after({ ipv4_address: '10.20.110.57' }, null, []), null);
});

test('an invalid physical_network_cidr_map entry is refused at startup', () => {
  for (const pair of ['10.0.0.0/24', 'x:y', '10.0.0.0/33:a', ':a']) {
    assert.throws(
      () => physicalNetwork.checkConfiguration?.({ inspector: { physical_network_cidr_map: [pair] } }),
      {
        message: `[inspector] physical_network_cidr_map: "${pair}": expected a network and a name, such as 10.0.0.0/24:provisioning`,
      },
    );
  }
  physicalNetwork.checkConfiguration?.({ inspector: { physical_network_cidr_map: map } });
});
