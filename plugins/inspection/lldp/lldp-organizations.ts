// The TLVs of IEEE 802.1 (VLANs, link aggregation) and IEEE 802.3 (speed, duplex, MTU) in LLDP.
import { mauTypes, physicalCapabilities } from './lldp-physical-layer.ts';
import { type Fact, isSet, MalformedTlv, octets, lldpText, unsigned } from './lldp-octets.ts';

const IEEE_802_1 = '0080c2';
const IEEE_802_3 = '00120f';

type Reader = (value: Buffer) => readonly Fact[];

const number =
  (key: string): Reader =>
  (value) => [{ key, value: unsigned(value, 0, 2) }];

const linkAggregation: Reader = (value) => {
  const status = unsigned(value, 0, 1);
  return [
    { key: 'switch_port_link_aggregation_enabled', value: isSet(status, 1) },
    { key: 'switch_port_link_aggregation_support', value: isSet(status, 0) },
    { key: 'switch_port_link_aggregation_id', value: unsigned(value, 1, 4) },
  ];
};

const protocolVlan: Reader = (value) => {
  const flags = unsigned(value, 0, 1);
  return [
    { key: 'switch_port_protocol_vlan_enabled', value: isSet(flags, 2) },
    { key: 'switch_port_protocol_vlan_support', value: isSet(flags, 1) },
    { key: 'switch_port_protocol_vlan_ids', value: unsigned(value, 1, 2), listed: true },
  ];
};

const vlan: Reader = (value) => {
  const name = lldpText(octets(value, 3, unsigned(value, 2, 1)));
  return [{ key: 'switch_port_vlans', value: { name, id: unsigned(value, 0, 2) }, listed: true }];
};

const protocolIdentity: Reader = (value) => {
  const identity = octets(value, 1, unsigned(value, 0, 1)).toString('hex');
  return [{ key: 'switch_protocol_identities', value: identity, listed: true }];
};

const macAndPhysicalLayer: Reader = (value) => {
  const autonegotiation = unsigned(value, 0, 1);
  const mauType = mauTypes[unsigned(value, 3, 2)];
  if (mauType === undefined) throw new MalformedTlv(`its MAU type ${unsigned(value, 3, 2)} is unknown`);
  const flags = unsigned(value, 1, 2);
  const capabilities = physicalCapabilities.filter((_, bit) => isSet(flags, bit)).toSorted();
  return [
    { key: 'switch_port_autonegotiation_enabled', value: isSet(autonegotiation, 1) },
    { key: 'switch_port_autonegotiation_support', value: isSet(autonegotiation, 0) },
    { key: 'switch_port_physical_capabilities', value: capabilities },
    { key: 'switch_port_mau_type', value: mauType },
  ];
};

const readers = new Map<string, Reader>([
  [`${IEEE_802_1} 1`, number('switch_port_untagged_vlan_id')],
  [`${IEEE_802_1} 2`, protocolVlan],
  [`${IEEE_802_1} 3`, vlan],
  [`${IEEE_802_1} 4`, protocolIdentity],
  [`${IEEE_802_1} 6`, number('switch_port_management_vlan_id')],
  [`${IEEE_802_1} 7`, linkAggregation],
  [`${IEEE_802_3} 1`, macAndPhysicalLayer],
  [`${IEEE_802_3} 3`, linkAggregation],
  [`${IEEE_802_3} 4`, number('switch_port_mtu')],
]);

/** Returns an empty list for unknown organizations and subtypes. */
export function organizationFacts(value: Buffer): readonly Fact[] {
  const organization = octets(value, 0, 3).toString('hex');
  return readers.get(`${organization} ${unsigned(value, 3, 1)}`)?.(value.subarray(4)) ?? [];
}
