// The basic TLVs of LLDP: they describe the switch, its port, its capabilities and its management addresses.
import {
  type Fact,
  ipAddress,
  isSet,
  mac,
  MalformedTlv,
  octets,
  lldpText,
  type Tlv,
  unsigned,
} from './lldp-octets.ts';

const CHASSIS_MAC = 4;

const said = (key: string) => (value: Buffer) => [{ key, value: lldpText(value) }];

const readers = new Map<number, (value: Buffer) => readonly Fact[]>([
  [1, (value) => [{ key: 'switch_chassis_id', value: chassisId(value) }]],
  [2, (value) => [{ key: 'switch_port_id', value: portId(value) }]],
  [4, said('switch_port_description')],
  [5, said('switch_system_name')],
  [6, said('switch_system_description')],
  [7, capabilities],
  [8, managementAddress],
]);

export const basicFacts = ({ type, value }: Tlv): readonly Fact[] => readers.get(type)?.(value) ?? [];

export const isChassisMac = ({ value }: Tlv): boolean => value[0] === CHASSIS_MAC;

function chassisId(value: Buffer): string {
  const subtype = unsigned(value, 0, 1);
  return identifier(value, { texts: [1, 2, 3, 6, 7], macs: CHASSIS_MAC, addresses: 5 }, subtype);
}

function portId(value: Buffer): string {
  return identifier(value, { texts: [1, 2, 5, 7], macs: 3, addresses: 4 }, unsigned(value, 0, 1));
}

function identifier(
  value: Buffer,
  subtypes: { readonly texts: readonly number[]; readonly macs: number; readonly addresses: number },
  subtype: number,
): string {
  const rest = value.subarray(1);
  if (subtypes.texts.includes(subtype)) return lldpText(rest);
  if (subtype === subtypes.macs) return mac(rest);
  const address = subtype === subtypes.addresses ? ipAddress(rest) : undefined;
  if (address === undefined) throw new MalformedTlv(`its subtype ${subtype} or address family is unknown`);
  return address;
}

/** The names of the capability bits, beginning with bit 0, which means "other" and gets no name. */
const CAPABILITIES = [
  undefined,
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
];

function capabilities(value: Buffer): readonly Fact[] {
  if (value.length !== 4) throw new MalformedTlv(`it has ${value.length} octets, expected 4`);
  return [
    { key: 'switch_capabilities_support', value: capabilityNames(unsigned(value, 0, 2)) },
    { key: 'switch_capabilities_enabled', value: capabilityNames(unsigned(value, 2, 2)) },
  ];
}

const capabilityNames = (flags: number) =>
  CAPABILITIES.filter((name, bit): name is string => name !== undefined && isSet(flags, bit));

const MAC_FAMILY = 6;

function managementAddress(value: Buffer): readonly Fact[] {
  const address = octets(value, 1, unsigned(value, 0, 1));
  const found = unsigned(address, 0, 1) === MAC_FAMILY ? mac(address.subarray(1)) : ipAddress(address);
  return found === undefined ? [] : [{ key: 'switch_mgmt_addresses', value: found, listed: true }];
}
