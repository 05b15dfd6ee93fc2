// Identity associations: in each of them (IA_NA, RFC 8415, 21.4), a client asks for one address or names those that it has.
import { ipv6Bytes, ipv6Of } from '../../lib/network/ipv6.ts';
import { dhcp6Code, type Dhcp6Message, dhcp6OptionBytes, dhcp6OptionsIn } from './dhcp6-wire.ts';

export interface IdentityAssociation {
  /** The client's number for it. */
  readonly id: number;
  readonly addresses: readonly bigint[];
}

/** How many of them one message may have, and how many addresses each of these; further ones are ignored. */
const [MOST, MOST_ADDRESSES] = [8, 8];
const [HEADER, ADDRESS_HEADER] = [12, 24];

export const associationsIn = ({ options }: Dhcp6Message): readonly IdentityAssociation[] =>
  options
    .filter(({ code, value }) => code === dhcp6Code.identityAssociation && value.length >= HEADER)
    .slice(0, MOST)
    .map(({ value }) => ({ id: Buffer.from(value).readUInt32BE(0), addresses: addressesIn(value) }));

const addressesIn = (association: Uint8Array): readonly bigint[] =>
  (dhcp6OptionsIn(association.subarray(HEADER)) ?? [])
    .filter(({ code, value }) => code === dhcp6Code.address && value.length >= ADDRESS_HEADER)
    .slice(0, MOST_ADDRESSES)
    .map(({ value }) => ipv6Of(value.subarray(0, 16)));

interface Answer {
  /** The address that the client may use for `leaseSeconds`; undefined if it gets none. */
  readonly address: bigint | undefined;
  /** Addresses that the client is to use no longer. */
  readonly dropped: readonly bigint[];
  readonly leaseSeconds: number;
  /** A value of dhcp6Status; undefined for success. */
  readonly status: number | undefined;
}

/** The value of the option that answers the association. */
export function associationAnswer(id: number, { address, dropped, leaseSeconds, status }: Answer): Buffer {
  const header = Buffer.alloc(HEADER);
  header.writeUInt32BE(id, 0);
  if (address !== undefined) {
    header.writeUInt32BE(Math.floor(leaseSeconds / 2), 4);
    header.writeUInt32BE(Math.floor((leaseSeconds * 7) / 8), 8);
  }
  const addresses = [
    ...(address === undefined ? [] : [addressValue(address, leaseSeconds)]),
    ...dropped.map((each) => addressValue(each, 0)),
  ];
  const options = dhcp6OptionBytes([
    ...addresses.map((value) => ({ code: dhcp6Code.address, value })),
    ...(status === undefined ? [] : [{ code: dhcp6Code.statusCode, value: statusValue(status) }]),
  ]);
  return Buffer.concat([header, options]);
}

function addressValue(address: bigint, seconds: number): Buffer {
  const lifetimes = Buffer.alloc(8);
  lifetimes.writeUInt32BE(seconds, 0);
  lifetimes.writeUInt32BE(seconds, 4);
  return Buffer.concat([ipv6Bytes(address), lifetimes]);
}

export const statusValue = (status: number, text = ''): Buffer =>
  Buffer.concat([Uint8Array.of(status >> 8, status & 255), Buffer.from(text)]);
