// LLDP TLVs of switches: known, broken and too many.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import type { Json, JsonObject } from '#plugin-api';
import { parseLldp } from '../../../../plugins/inspection/lldp/parse-lldp.ts';
import { draftOf, draftOfFixture } from '../draft.ts';

function parsed(interfaces: Json, pluginData: JsonObject = {}) {
  const draft = draftOf({ inventory: { interfaces }, pluginData });
  parseLldp.call?.(draft);
  return { ...draft, parsed: draft.pluginData['parsed_lldp'] };
}

/** The TLVs of one interface and the parsed result. */
const cases = JSON.parse(
  readFileSync(new URL('../../../fixtures/lldp.json', import.meta.url), 'utf8'),
) as readonly { readonly title: string; readonly tlvs: Json; readonly parsed: JsonObject }[];

for (const { title, tlvs, parsed: expected } of cases) {
  test(`parses ${title}`, () => {
    const { parsed: found } = parsed([{ name: 'e' }], { lldp_raw: { e: tlvs } });
    assert.deepEqual(found, Object.keys(expected).length === 0 ? undefined : { e: expected });
  });
}

test('each invalid TLV is logged as a warning', () => {
  const { warnings } = parsed([{ name: 'e' }], { lldp_raw: { e: [[1, '04'], [5, 'abc'], 7, [2, '0661']] } });
  assert.deepEqual(warnings, [
    'Network interface e: ignoring the LLDP TLV [1,"04"]: it has 0 octets, expected at least 6',
    'Network interface e: ignoring the LLDP TLV [5,"abc"]: its octets are not in hexadecimal',
    'Network interface e: ignoring the LLDP TLV 7: expected a type and octets in hexadecimal',
    'Network interface e: ignoring the LLDP TLV [2,"0661"]: its subtype 6 or address family is unknown',
  ]);
});

test('only the first 64 interfaces, and the first 750 TLVs of an interface, are parsed', () => {
  const chassis = [[1, '04112233aabbcc']];
  const interfaces = Array.from({ length: 65 }, (_, number) => ({ name: `e${number}`, lldp: chassis }));
  const many = parsed(interfaces);
  assert.deepEqual(
    Object.keys(many.parsed as object),
    interfaces.slice(0, 64).map(({ name }) => name),
  );
  assert.match(many.warnings[0] ?? '', /65 network interfaces/);
  const long = parsed([{ name: 'e', lldp: [...Array.from({ length: 750 }, () => [3, '0078']), [5, '73']] }]);
  assert.equal(long.parsed, undefined);
  assert.match(long.warnings[0] ?? '', /751 LLDP TLVs/);
});

test("lldp_raw takes precedence over the interface's lldp unless it is empty", () => {
  const interfaces = [{ name: 'e', lldp: [[5, '73']] }];
  assert.deepEqual(parsed(interfaces, { lldp_raw: { e: [] } }).parsed, { e: { switch_system_name: 's' } });
  assert.deepEqual(parsed(interfaces, { lldp_raw: { e: [[5, '74']] } }).parsed, {
    e: { switch_system_name: 't' },
  });
});

test('an interface without LLDP data is logged as a warning, and one with an empty list is not', () => {
  const { parsed: found, warnings } = parsed([
    { name: 'e', lldp: null },
    { name: 'f' },
    { name: 'g', lldp: [] },
  ]);
  assert.equal(found, undefined);
  assert.deepEqual(warnings, [
    'No LLDP data for network interface(s) e, f; set ipa-collect-lldp=1 or enable the collector lldp of the ramdisk.',
  ]);
});

test('parsed_lldp of other interfaces stays', () => {
  const { parsed: found } = parsed([{ name: 'e', lldp: [[5, '73']] }], {
    parsed_lldp: { d: { x: 1 }, e: { x: 2 } },
  });
  assert.deepEqual(found, { d: { x: 1 }, e: { switch_system_name: 's' } });
});

test('parses the LLDP data of a server with three cabled interfaces', () => {
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
