import assert from 'node:assert/strict';
import test from 'node:test';
import type { Json, JsonObject } from '#plugin-api';
import { localLinkConnection } from '../../../../plugins/inspection/lldp/local-link-connection.ts';
import { draftOf, port } from '../draft.ts';

const MAC = '02:00:00:00:00:01';

function after(lldp: Json, connection: JsonObject = {}, address = MAC) {
  const reported = { mac_address: MAC, pxe_enabled: true };
  const draft = draftOf({
    pluginData: {
      all_interfaces: { e: { ...reported, lldp }, f: { ...reported, mac_address: '02:00:00:00:00:02' } },
    },
    ports: [port(address, { local_link_connection: connection })],
  });
  localLinkConnection.call?.(draft);
  return { warnings: draft.warnings, connection: draft.ports[0]?.local_link_connection };
}

const full = [
  [1, '045c4527a10b00'],
  [2, '0578652d302f302f3132'],
  [5, '746f722d72372d61'],
  [7, '001c0014'],
];
const fullConnection = { switch_id: '5c:45:27:a1:0b:00', port_id: 'xe-0/0/12', switch_info: 'tor-r7-a' };

const cases: readonly (readonly [string, Json, JsonObject])[] = [
  ['switch_id, port_id and switch_info', full, fullConnection],
  [
    'only port_id when the chassis ID is not a MAC address',
    [
      [1, '076c6561662d3137'],
      [2, '07353133'],
    ],
    { port_id: '513' },
  ],
  [
    'port_id from a MAC address',
    [
      [1, '0501c6336405'],
      [2, '03aabbcc001122'],
    ],
    { port_id: 'aa:bb:cc:00:11:22' },
  ],
  [
    'no port_id of an unknown subtype',
    [
      [2, '0645'],
      [5, '73'],
    ],
    { switch_info: 's' },
  ],
  ['nothing from a TLV that is not hexadecimal', [[2, 'weee']], {}],
  [
    'the last of two port ids',
    [
      [2, '0545746831'],
      [2, '0545746832'],
    ],
    { port_id: 'Eth2' },
  ],
  [
    'no switch_id from a truncated MAC address',
    [
      [1, '0411'],
      [2, '0545746831'],
    ],
    { port_id: 'Eth1' },
  ],
  ['no switch_info that is not UTF-8', [[5, 'ff']], {}],
  ['no empty switch_info', [[5, '']], {}],
];

for (const [title, tlvs, expected] of cases) {
  test(`local_link_connection has ${title}`, () => assert.deepEqual(after(tlvs).connection, expected));
}

test('values that local_link_connection already has stay', () => {
  const known = { switch_id: '11:11:11:11:11:11', other: 'x' };
  assert.deepEqual(after(full, known).connection, { ...fullConnection, ...known });
});

test('ports match regardless of the case of the MAC address', () => {
  assert.deepEqual(after(full, {}, MAC.toUpperCase()).connection, fullConnection);
});

test('missing LLDP data are logged only for interfaces with a port', () => {
  assert.match(after(null).warnings.join(), /No LLDP data for network interface\(s\) e;/);
  assert.deepEqual(after(null, {}, '02:00:00:00:00:99').warnings, []);
});

test('the hook depends on validate-interfaces', () => {
  assert.deepEqual(localLinkConnection.dependencies, ['validate-interfaces']);
  assert.throws(() => localLinkConnection.call?.(draftOf({})), /all_interfaces is missing/);
});
