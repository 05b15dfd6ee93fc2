import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkData, type NetworkPlan } from '../../../../daemon/model/instance/network-data.ts';

const [A, B, C] = ['52:54:00:00:00:0a', '52:54:00:00:00:0b', '52:54:00:00:00:0c'] as const;
const ports = [
  { address: A.toUpperCase(), pxe_enabled: true },
  { address: B, pxe_enabled: false },
  { address: C, pxe_enabled: false },
];
const plan = (given: Partial<NetworkPlan>): NetworkPlan => ({
  macs: [],
  addresses: ['10.0.0.5/24'],
  gateways: [],
  dns: [],
  routes: [],
  ...given,
});

test('an address goes to the card that the node boots from', () => {
  const gateways = ['10.0.0.1'];
  const routes = [{ network: '10.1.0.0/16', via: '10.0.0.2' }];
  assert.deepEqual(
    networkData([plan({ gateways, dns: ['10.0.0.1', '10.0.0.1'], routes, mtu: 9000 })], ports),
    {
      links: [{ id: 'card-52540000000a', type: 'phy', ethernet_mac_address: A, mtu: 9000 }],
      networks: [
        {
          id: 'card-52540000000a-0',
          link: 'card-52540000000a',
          type: 'ipv4',
          ip_address: '10.0.0.5',
          netmask: '255.255.255.0',
          routes: [
            { network: '0.0.0.0', netmask: '0.0.0.0', gateway: '10.0.0.1' },
            { network: '10.1.0.0', netmask: '255.255.0.0', gateway: '10.0.0.2' },
          ],
        },
      ],
      services: [{ type: 'dns', address: '10.0.0.1' }],
    },
  );
});

test('a VLAN on a bond of two cards has addresses of both families', () => {
  const made = networkData(
    [
      plan({
        macs: [B, C],
        bond: '802.3ad',
        vlan: 12,
        addresses: ['10.0.12.5/20', 'fd00::5/64'],
        gateways: ['fd00::1', '10.0.0.1'],
      }),
      plan({ macs: [A], addresses: ['dhcp', 'dhcp6'] }),
    ],
    ports,
  );
  assert.deepEqual(
    (made['links'] as { id: string; type: string }[]).map(({ id, type }) => `${type} ${id}`),
    [
      'phy card-52540000000b',
      'phy card-52540000000c',
      'bond bond0',
      'vlan bond0.12',
      'phy card-52540000000a',
    ],
  );
  const networks = made['networks'] as {
    link: string;
    type: string;
    netmask?: string;
    routes?: { gateway: string }[];
  }[];
  assert.deepEqual(
    networks.map(({ link, type, netmask, routes }) => [
      link,
      type,
      netmask,
      routes?.map(({ gateway }) => gateway),
    ]),
    [
      ['bond0.12', 'ipv4', '255.255.240.0', ['10.0.0.1']],
      ['bond0.12', 'ipv6', 'ffff:ffff:ffff:ffff:0:0:0:0', ['fd00::1']],
      ['card-52540000000a', 'ipv4_dhcp', undefined, undefined],
      ['card-52540000000a', 'ipv6_dhcp', undefined, undefined],
    ],
  );
});

const wrongs: readonly (readonly [Partial<NetworkPlan>, RegExp])[] = [
  [{ addresses: [] }, /needs an address, or address=dhcp/],
  [
    { addresses: ['10.0.0.5'] },
    /"10\.0\.0\.5" is no address with a prefix length\. Expected one as in 10\.0\.0\.5\/24/,
  ],
  [{ addresses: ['10.0.0.5/33'] }, /prefix length/],
  [{ addresses: ['10.0.0.5/0'] }, /prefix length/],
  [{ gateways: ['10.9.0.1'] }, /the gateway 10\.9\.0\.1 is in no subnet of the addresses 10\.0\.0\.5\/24/],
  [{ gateways: ['x'] }, /"x" is no address of a gateway/],
  [{ dns: ['x'] }, /"x" is no address of a DNS server/],
  [{ macs: ['x'] }, /"x" is no MAC address/],
  [
    { macs: ['52:54:00:00:00:ff'] },
    /the node has no port 52:54:00:00:00:ff; its ports are 52:54:00:00:00:0a, /,
  ],
  [{ macs: [A, B] }, /several cards need bond=/],
  [{ macs: [A], bond: 'active-backup' }, /at least two cards, but 1/],
  [{ vlan: 4095 }, /vlan=4095: expected a whole number from 1 to 4094/],
  [{ vlan: Number.NaN }, /vlan=NaN/],
  [{ mtu: 100 }, /mtu=100/],
  [{ routes: [{ network: '10.1.0.0', via: '' }] }, /"" is no address of a gateway/],
];

test('a plan that contradicts itself or the node is refused, with what was expected', () => {
  for (const [given, reason] of wrongs) assert.throws(() => networkData([plan(given)], ports), reason);
  assert.throws(() => networkData([plan({ macs: [A] }), plan({ macs: [A] })], ports), /is in two links/);
  assert.throws(() => networkData([plan({})], []), /name the card with mac= or card=: the node has no ports/);
});

test('cards have numbers in the order of their addresses, the same for machines that are alike', () => {
  const mixed = [ports[2], ports[0], ports[1]].flatMap((port) => port ?? []);
  const { links } = networkData([plan({ cards: [2, 3], bond: '802.3ad' })], mixed);
  assert.deepEqual(
    (links as readonly { readonly ethernet_mac_address: string }[]).map((link) => link.ethernet_mac_address),
    [B, C, B],
  );
});

const refused =
  (given: Partial<NetworkPlan>, known = ports) =>
  () =>
    networkData([plan(given)], known);

test('a number that no card has, and cards that are named twice, are refused', () => {
  assert.throws(refused({ cards: [4] }), /there is no card 4: the node has the ports 52:54:00:00:00:0a, /);
  assert.throws(refused({ cards: [1] }, []), /there is no card 1: the node has no ports/);
  assert.throws(refused({ cards: [1], macs: [A] }), /not with both/);
  assert.throws(refused({ cards: [1, 2] }), /several cards need bond=/);
});
