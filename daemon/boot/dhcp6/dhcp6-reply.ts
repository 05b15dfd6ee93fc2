// Builds the server's DHCPv6 messages. Pure.
import type { SetOption } from '../../config/dhcp-options/set-options.ts';
import type { Dhcp6Subnet } from '../../config/dhcp-subnet.ts';
import { hostInUrl } from '../../lib/network/ip.ts';
import { ipv6Bytes } from '../../lib/network/ipv6.ts';
import type { BootChoice } from '../boot-choice.ts';
import type { BootStage } from '../dhcp/client.ts';
import { wantedIn } from '../dhcp/requests/wanted-options.ts';
import {
  dhcp6Code,
  type Dhcp6Message,
  type Dhcp6Option,
  dhcp6OptionBytes,
  dhcp6Status,
  dhcp6Type,
  encodeDhcp6,
  encodeRelayed,
  optionIn,
  type RelayedDhcp6,
  type RelayHop,
} from './dhcp6-wire.ts';
import { associationAnswer, associationsIn, statusValue } from './identity-associations.ts';

type Options = readonly Dhcp6Option[];

/** A reply of the type to the message, with the identifiers of both sides before `options`. */
export function dhcp6Reply(
  { transactionId, options: asked }: Dhcp6Message,
  type: 'advertise' | 'reply',
  serverId: Uint8Array,
  options: Options,
): Dhcp6Message {
  const clientId = optionIn(asked, dhcp6Code.clientId);
  return {
    type: dhcp6Type[type],
    transactionId,
    options: [
      ...(clientId === undefined ? [] : [{ code: dhcp6Code.clientId, value: clientId }]),
      { code: dhcp6Code.serverId, value: serverId },
      ...options,
    ],
  };
}

/** The server is the only one: a client need not wait for better offers (RFC 8415, 18.2.1). */
const CHOOSE_AT_ONCE: Dhcp6Option = { code: dhcp6Code.preference, value: Uint8Array.of(255) };

/** The first association gets the address, for a machine has one; the others get none. */
export function addressOptions(
  message: Dhcp6Message,
  address: bigint | undefined,
  { leaseSeconds, isRapid = false }: { readonly leaseSeconds: number; readonly isRapid?: boolean },
): Options {
  const { solicit, renew, rebind } = dhcp6Type;
  const keeps = message.type === renew || message.type === rebind;
  const associations = associationsIn(message).map(({ id, addresses }, index) => {
    const given = index === 0 ? address : undefined;
    return {
      code: dhcp6Code.identityAssociation,
      value: associationAnswer(id, {
        address: given,
        dropped: keeps ? addresses.filter((each) => each !== given) : [],
        leaseSeconds,
        status: given === undefined ? dhcp6Status.noAddresses : undefined,
      }),
    };
  });
  return [
    ...associations,
    ...(message.type === solicit ? [CHOOSE_AT_ONCE] : []),
    ...(isRapid ? [{ code: dhcp6Code.rapidCommit, value: new Uint8Array() }] : []),
  ];
}

/** The answer to RELEASE and DECLINE: the status, and for associations without the address that the client has none there. */
export function endedOptions(message: Dhcp6Message, address: bigint | undefined): Options {
  const unknown = associationsIn(message).filter(
    ({ addresses }) => address === undefined || !addresses.includes(address),
  );
  const bare = { address: undefined, dropped: [], leaseSeconds: 0, status: dhcp6Status.noBinding };
  return [
    statusOption(dhcp6Status.success),
    ...unknown.map(({ id }) => ({
      code: dhcp6Code.identityAssociation,
      value: associationAnswer(id, bare),
    })),
  ];
}

export const statusOption = (status: number, text = ''): Dhcp6Option => ({
  code: dhcp6Code.statusCode,
  value: statusValue(status, text),
});

/** The settings of the subnet that the client asks for; all of them if it does not say what it wants. Those in `set` come first. */
export function settingOptions(
  { options }: Dhcp6Message,
  subnet: Dhcp6Subnet,
  set: readonly SetOption[],
): Options {
  const wanted = optionIn(options, dhcp6Code.optionRequest);
  const list = wanted && Buffer.from(wanted);
  const codes = list && Array.from({ length: list.length >> 1 }, (_, at) => list.readUInt16BE(at * 2));
  return wantedIn(codes, [...set, ...settingsOf(subnet)]).map(({ code, value }) => ({ code, value }));
}

const settingsOf = ({ dns, ntp, domain }: Dhcp6Subnet): readonly SetOption[] =>
  [
    { code: dhcp6Code.dns, value: Buffer.concat(dns.map(ipv6Bytes)) },
    { code: dhcp6Code.domainList, value: domain === undefined ? new Uint8Array() : domainValue(domain) },
    { code: dhcp6Code.sntp, value: Buffer.concat(ntp.map(ipv6Bytes)) },
    // RFC 5908: each server is a sub-option 1
    {
      code: dhcp6Code.ntp,
      value: dhcp6OptionBytes(ntp.map((each) => ({ code: 1, value: ipv6Bytes(each) }))),
    },
  ].flatMap(({ code, value }) =>
    value.length === 0 ? [] : [{ version: 6 as const, code, value, always: false }],
  );

/** A name as RFC 1035 encodes it: each label behind its length. Labels that are too long are cut. */
const domainValue = (domain: string): Buffer => {
  const labels = domain.split('.').filter((label) => label !== '');
  const bytes = labels.map((label) => Buffer.from(label).subarray(0, 63));
  return Buffer.concat([...bytes.flatMap((each) => [Uint8Array.of(each.length), each]), Uint8Array.of(0)]);
};

/** Of Intel, whose number firmware sends with its own vendor class. */
const ENTERPRISE = Uint8Array.of(0, 0, 1, 87);

/** UEFI accepts an http URL only beside the vendor class HTTPClient. */
export function dhcp6BootOptions(
  boot: BootChoice | undefined,
  stage: BootStage,
  serverAddress: string,
): Options {
  if (boot === undefined) return [];
  const url = { code: dhcp6Code.bootFileUrl, value: Buffer.from(bootUrl(boot, serverAddress)) };
  if (stage !== 'uefi-http') return [url];
  const text = Buffer.from('HTTPClient');
  const value = Buffer.concat([ENTERPRISE, Uint8Array.of(0, text.length), text]);
  return [url, { code: dhcp6Code.vendorClass, value }];
}

/** DHCPv6 names boot files by URLs only (RFC 5970). */
export const bootUrl = (boot: BootChoice, serverAddress: string): string =>
  boot.kind === 'http' ? boot.url : `tftp://${hostInUrl(serverAddress)}/${boot.file}`;

/** The bytes for the client, wrapped for the relays that passed its message on. Each gets its interface back (RFC 8415, 19.3). */
export function dhcp6ReplyBytes({ relays }: Pick<RelayedDhcp6, 'relays'>, message: Dhcp6Message): Uint8Array {
  const back = relays.map((relay): RelayHop => {
    const onInterface = relay.options.filter(({ code }) => code === dhcp6Code.interfaceId).slice(0, 1);
    return { ...relay, options: onInterface };
  });
  return encodeRelayed('relayReply', back, encodeDhcp6(message));
}
