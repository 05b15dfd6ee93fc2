// What switches say of themselves: known octets, broken ones, and as many as there may be.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Json, JsonObject } from '#plugin-api';
import { parseLldp } from '../../../plugins/inspection/parse-lldp.ts';
import { draftOf, draftOfFixture } from './draft.ts';

function parsed(interfaces: Json, pluginData: JsonObject = {}) {
  const draft = draftOf({ inventory: { interfaces }, pluginData });
  parseLldp.call?.(draft);
  return { ...draft, parsed: draft.pluginData['parsed_lldp'] };
}

const cases: readonly (readonly [string, readonly Json[], JsonObject])[] = [
  [
    'L1',
    [
      [1, '045c4527a10b00'],
      [2, '0578652d302f302f3132'],
      [3, '0078'],
      [4, '7261636b37207372763033206e696331'],
      [5, '746f722d72372d61'],
      [7, '001c0014'],
      [8, '05010a140701020000000100'],
      [127, '0080c2010bb8'],
      [127, '0080c2030bb80770726f762d6e74'],
      [127, '00120f0423f6'],
      [0, ''],
    ],
    {
      switch_chassis_id: '5c:45:27:a1:0b:00',
      switch_port_id: 'xe-0/0/12',
      switch_port_description: 'rack7 srv03 nic1',
      switch_system_name: 'tor-r7-a',
      switch_capabilities_support: ['Bridge', 'WLAN', 'Router'],
      switch_capabilities_enabled: ['Bridge', 'Router'],
      switch_mgmt_addresses: ['10.20.7.1'],
      switch_port_untagged_vlan_id: 3000,
      switch_port_vlans: [{ name: 'prov-nt', id: 3000 }],
      switch_port_mtu: 9206,
    },
  ],
  [
    'L3',
    [
      [1, '0501c6336405'],
      [2, '03aabbcc001122'],
    ],
    { switch_chassis_id: '198.51.100.5', switch_port_id: 'aa:bb:cc:00:11:22' },
  ],
  [
    'L5',
    [
      [1, '066d676d7430'],
      [2, '0155706c696e6b2041'],
    ],
    { switch_chassis_id: 'mgmt0', switch_port_id: 'Uplink A' },
  ],
  [
    'L7',
    [[7, '07ff07ff']],
    {
      switch_capabilities_support: [
        'Repeater',
        'Bridge',
        'WLAN',
        'Router',
        'Telephone',
        'DOCSIS cable device',
        'Station only',
        'C-Vlan',
        'S-Vlan',
        'TPMR',
      ],
      switch_capabilities_enabled: [
        'Repeater',
        'Bridge',
        'WLAN',
        'Router',
        'Telephone',
        'DOCSIS cable device',
        'Station only',
        'C-Vlan',
        'S-Vlan',
        'TPMR',
      ],
    },
  ],
  ['L9', [[7, '0014']], {}],
  [
    'L11',
    [
      [5, '73'],
      [127, '0080c2070100000000'],
    ],
    {
      switch_system_name: 's',
      switch_port_link_aggregation_enabled: false,
      switch_port_link_aggregation_support: true,
      switch_port_link_aggregation_id: 0,
    },
  ],
  [
    'L13',
    [
      [5, '73'],
      [127, '00120f01030001001e'],
    ],
    {
      switch_system_name: 's',
      switch_port_autonegotiation_enabled: true,
      switch_port_autonegotiation_support: true,
      switch_port_physical_capabilities: ['1000BASE-T fdx'],
      switch_port_mau_type: '1000BASE-T full duplex',
    },
  ],
  [
    'L15',
    [
      [5, '73'],
      [127, '00120f010100f00000'],
    ],
    {
      switch_system_name: 's',
      switch_port_autonegotiation_enabled: false,
      switch_port_autonegotiation_support: true,
      switch_port_physical_capabilities: [
        'Asym PAUSE fdx',
        'Asym and Sym PAUSE fdx',
        'PAUSE fdx',
        'Sym PAUSE fdx',
      ],
      switch_port_mau_type: 'Unknown',
    },
  ],
  [
    'L17',
    [
      [127, '00120f01036c110010'],
      [5, '73'],
    ],
    {
      switch_system_name: 's',
      switch_port_autonegotiation_enabled: true,
      switch_port_autonegotiation_support: true,
      switch_port_physical_capabilities: [
        '1000BASE-T fdx',
        '100BASE-TX fdx',
        '100BASE-TX hdx',
        '10BASE-T fdx',
        '10BASE-T hdx',
        'Asym and Sym PAUSE fdx',
      ],
      switch_port_mau_type: '100BASE-TX full duplex',
    },
  ],
  [
    'L19',
    [
      [1, '04'],
      [4, ''],
      [5, ''],
      [6, ''],
      [127, '0080c203006507'],
    ],
    { switch_port_description: '', switch_system_name: '', switch_system_description: '' },
  ],
  [
    'L22',
    [
      [5, '73'],
      [127, '0080c2060fa0'],
    ],
    { switch_system_name: 's', switch_port_management_vlan_id: 4000 },
  ],
  [
    'L24',
    [
      [5, '73'],
      [127, '00012001aabb'],
      [127, '0080c2'],
      [9, '00'],
    ],
    { switch_system_name: 's' },
  ],
  ['L20a', [[8, '0501']], {}],
  ['L26', [[1, '00'.repeat(512)]], {}],
  [
    'L27b',
    [
      [5, '73'],
      [2, '06616263'],
    ],
    { switch_system_name: 's' },
  ],
  [
    'L27d',
    [
      [4, '6f6b'],
      [5, 'abc'],
    ],
    { switch_port_description: 'ok' },
  ],
  [
    'L31',
    [
      [5, '73'],
      [1, '0503aabbcc'],
    ],
    { switch_system_name: 's' },
  ],
  [
    'L33 full upstream-style set',
    [
      [1, '0428993a4c1e00'],
      [2, '05676531'],
      [3, '0078'],
      [4, '7032'],
      [5, '7377'],
      [6, '4e4f53'],
      [7, '00040004'],
      [8, '0501c0000201010000000000'],
      [127, '0080c2010001'],
      [127, '0080c20206000a'],
      [127, '0080c202060014'],
      [127, '0080c2030001077661756c743031'],
      [127, '0080c20402888e'],
      [127, '0080c2060064'],
      [127, '0080c2070300000007'],
      [127, '00120f01030001001e'],
      [127, '00120f0405dc'],
      [0, ''],
    ],
    {
      switch_chassis_id: '28:99:3a:4c:1e:00',
      switch_port_id: 'ge1',
      switch_port_description: 'p2',
      switch_system_name: 'sw',
      switch_system_description: 'NOS',
      switch_capabilities_support: ['Bridge'],
      switch_capabilities_enabled: ['Bridge'],
      switch_mgmt_addresses: ['192.0.2.1'],
      switch_port_untagged_vlan_id: 1,
      switch_port_protocol_vlan_enabled: true,
      switch_port_protocol_vlan_support: true,
      switch_port_protocol_vlan_ids: [10, 20],
      switch_port_vlans: [{ name: 'vault01', id: 1 }],
      switch_protocol_identities: ['888e'],
      switch_port_management_vlan_id: 100,
      switch_port_link_aggregation_enabled: true,
      switch_port_link_aggregation_support: true,
      switch_port_link_aggregation_id: 7,
      switch_port_autonegotiation_enabled: true,
      switch_port_autonegotiation_support: true,
      switch_port_physical_capabilities: ['1000BASE-T fdx'],
      switch_port_mau_type: '1000BASE-T full duplex',
      switch_port_mtu: 1500,
    },
  ],
  [
    'L2',
    [
      [1, '076c6561662d3137'],
      [2, '07353133'],
    ],
    { switch_chassis_id: 'leaf-17', switch_port_id: '513' },
  ],
  ['L4', [[1, '050220010db8000000000000000000000abc']], { switch_chassis_id: '2001:db8::abc' }],
  [
    'L8',
    [[7, '00a00020']],
    {
      switch_capabilities_support: ['Telephone', 'Station only'],
      switch_capabilities_enabled: ['Telephone'],
    },
  ],
  [
    'L10',
    [
      [5, '73'],
      [127, '0080c207030000000a'],
    ],
    {
      switch_system_name: 's',
      switch_port_link_aggregation_enabled: true,
      switch_port_link_aggregation_support: true,
      switch_port_link_aggregation_id: 10,
    },
  ],
  [
    'L14',
    [
      [5, '73'],
      [127, '00120f01026000000b'],
    ],
    {
      switch_system_name: 's',
      switch_port_autonegotiation_enabled: true,
      switch_port_autonegotiation_support: false,
      switch_port_physical_capabilities: ['10BASE-T fdx', '10BASE-T hdx'],
      switch_port_mau_type: '10BASE-T full duplex',
    },
  ],
  ['L16', [[127, '00120f01036c11ffff']], {}],
  ['L20b', [[8, '0507c000020f020000000000']], {}],
  [
    'L23',
    [
      [5, '73'],
      [127, '0080c203006408766c313030000000'],
    ],
    { switch_system_name: 's', switch_port_vlans: [{ name: 'vl100', id: 100 }] },
  ],
  [
    'L25',
    [
      [1, '04AABBCCDDEEFF'],
      [2, '0545746831'],
    ],
    { switch_chassis_id: 'aa:bb:cc:dd:ee:ff', switch_port_id: 'Eth1' },
  ],
  ['a port known by its IP address', [[2, '0401c0000207']], { switch_port_id: '192.0.2.7' }],
  ['a small IPv6 address', [[1, '050200000000000000000000000000000001']], { switch_chassis_id: '::1' }],
  [
    'fill of NUL characters',
    [
      [5, '737700'],
      [2, '0567653100'],
    ],
    { switch_system_name: 'sw', switch_port_id: 'ge1' },
  ],
  [
    'the capability 10BASE-T fdx alone',
    [[127, '00120f010320000010']],
    {
      switch_port_autonegotiation_enabled: true,
      switch_port_autonegotiation_support: true,
      switch_port_physical_capabilities: ['10BASE-T fdx'],
      switch_port_mau_type: '100BASE-TX full duplex',
    },
  ],
  [
    'a MAC address for management',
    [[8, '070611223344556602000000010000']],
    { switch_mgmt_addresses: ['11:22:33:44:55:66'] },
  ],
  [
    'the first of two names',
    [
      [5, '61'],
      [5, '62'],
    ],
    { switch_system_name: 'a' },
  ],
  [
    'text that is not UTF-8',
    [
      [5, 'ff'],
      [4, '6f6b'],
    ],
    { switch_port_description: 'ok' },
  ],
  [
    'link aggregation in the style of 802.3',
    [[127, '00120f030300000007']],
    {
      switch_port_link_aggregation_enabled: true,
      switch_port_link_aggregation_support: true,
      switch_port_link_aggregation_id: 7,
    },
  ],
];

for (const [id, tlvs, expected] of cases) {
  test(`${id} is read as what it says`, () => {
    const { parsed: found } = parsed([{ name: 'e' }], { lldp_raw: { e: tlvs } });
    assert.deepEqual(found, Object.keys(expected).length === 0 ? undefined : { e: expected });
  });
}

test('what cannot be read is named in a warning', () => {
  const { warnings } = parsed([{ name: 'e' }], { lldp_raw: { e: [[1, '04'], [5, 'abc'], 7, [2, '0661']] } });
  assert.deepEqual(warnings, [
    'Network interface e: ignoring the LLDP TLV [1,"04"]: it has 0 octets, expected at least 6',
    'Network interface e: ignoring the LLDP TLV [5,"abc"]: its octets are not in hexadecimal',
    'Network interface e: ignoring the LLDP TLV 7: expected a type and its octets in hexadecimal',
    'Network interface e: ignoring the LLDP TLV [2,"0661"]: its subtype 6 or address family is not known',
  ]);
});

test('of more than 64 interfaces the first 64 are read, and of more than 750 TLVs the first 750', () => {
  const chassis = [[1, '04112233aabbcc']];
  const interfaces = Array.from({ length: 65 }, (_, number) => ({ name: `e${number}`, lldp: chassis }));
  const many = parsed(interfaces);
  assert.deepEqual(
    Object.keys(many.parsed as object),
    interfaces.slice(0, 64).map(({ name }) => name),
  );
  assert.match(many.warnings[0] ?? '', /65 network interfaces/);
  const long = parsed([{ name: 'e', lldp: [...Array<Json>(750).fill([3, '0078']), [5, '73']] }]);
  assert.equal(long.parsed, undefined);
  assert.match(long.warnings[0] ?? '', /751 LLDP TLVs/);
});

test('what the collector heard counts before what the interface has, unless it heard nothing', () => {
  const interfaces = [{ name: 'e', lldp: [[5, '73']] }];
  assert.deepEqual(parsed(interfaces, { lldp_raw: { e: [] } }).parsed, { e: { switch_system_name: 's' } });
  assert.deepEqual(parsed(interfaces, { lldp_raw: { e: [[5, '74']] } }).parsed, {
    e: { switch_system_name: 't' },
  });
});

test('an interface that the ramdisk did not listen on is warned of, one that is silent is not', () => {
  const { parsed: found, warnings } = parsed([
    { name: 'e', lldp: null },
    { name: 'f' },
    { name: 'g', lldp: [] },
  ]);
  assert.equal(found, undefined);
  assert.deepEqual(warnings, [
    'No LLDP data of network interface(s) e, f; the ramdisk listens with ipa-collect-lldp=1 or its collector lldp.',
  ]);
});

test('what was parsed before stays for other interfaces', () => {
  const { parsed: found } = parsed([{ name: 'e', lldp: [[5, '73']] }], {
    parsed_lldp: { d: { x: 1 }, e: { x: 2 } },
  });
  assert.deepEqual(found, { d: { x: 1 }, e: { switch_system_name: 's' } });
});

test('a server with three cabled interfaces', () => {
  const draft = draftOfFixture('constructed-server');
  parseLldp.call?.(draft);
  const found = draft.pluginData['parsed_lldp'] as Readonly<Record<string, JsonObject>>;
  assert.deepEqual(Object.keys(found), ['eno8303np0', 'ens3f0np0', 'ens3f1np1']);
  assert.partialDeepStrictEqual(found['eno8303np0'], {
    switch_port_mtu: 1514,
    switch_port_untagged_vlan_id: 1100,
  });
  assert.partialDeepStrictEqual(found['ens3f0np0'], {
    switch_mgmt_addresses: ['10.20.12.11', '2001:db8:12::11'],
    switch_port_link_aggregation_id: 1017,
    switch_port_mtu: 9214,
  });
  assert.deepEqual(draft.warnings, []);
});
