// DHCPv6 messages as bytes (RFC 8415). Decoding checks every length that a message claims, and bounds what it takes apart.
import { ipv6Bytes, ipv6Of } from '../../lib/network/ipv6.ts';

/** Options may repeat: a client asks for several addresses in as many options. */
export interface Dhcp6Option {
  readonly code: number;
  readonly value: Uint8Array;
}

export interface Dhcp6Message {
  readonly type: number;
  readonly transactionId: number;
  readonly options: readonly Dhcp6Option[];
}

/** What a relay says of a message that it passes on. */
export interface RelayHop {
  readonly hops: number;
  /** An address of the link that the message came from; 0 if the relay names none. */
  readonly link: bigint;
  /** Who sent the message to the relay. */
  readonly peer: bigint;
  readonly options: readonly Dhcp6Option[];
}

export interface RelayedDhcp6 {
  readonly message: Dhcp6Message;
  /** The relays that passed the message on; the one that is nearest to this server comes first. */
  readonly relays: readonly RelayHop[];
}

export type DecodedDhcp6 =
  | ({ readonly kind: 'request' | 'reply' } & RelayedDhcp6)
  | { readonly kind: 'malformed'; readonly reason: string };

export const dhcp6Type = {
  solicit: 1,
  advertise: 2,
  request: 3,
  confirm: 4,
  renew: 5,
  rebind: 6,
  reply: 7,
  release: 8,
  decline: 9,
  informationRequest: 11,
  relayForward: 12,
  relayReply: 13,
} as const;

export const dhcp6Code = {
  clientId: 1,
  serverId: 2,
  identityAssociation: 3,
  address: 5,
  optionRequest: 6,
  preference: 7,
  relayMessage: 9,
  statusCode: 13,
  rapidCommit: 14,
  userClass: 15,
  vendorClass: 16,
  interfaceId: 18,
  dns: 23,
  domainList: 24,
  sntp: 31,
  ntp: 56,
  bootFileUrl: 59,
  architecture: 61,
  linkLayerAddress: 79,
} as const;

/** Values of the option statusCode. */
export const dhcp6Status = { success: 0, noAddresses: 2, noBinding: 3, notOnLink: 4 } as const;

/** RFC 8415, 7.6: a message that has passed more relays is dropped. */
const MOST_RELAYS = 8;
const MOST_OPTIONS = 128;
const [HEADER, RELAY_HEADER, OPTION_HEADER] = [4, 34, 4];

/** Never throws, whatever the bytes. */
export function decodeDhcp6(bytes: Uint8Array): DecodedDhcp6 {
  const isReply = bytes[0] === dhcp6Type.relayReply;
  const relays: RelayHop[] = [];
  let rest = bytes;
  while (isRelayed(rest, isReply)) {
    if (relays.length === MOST_RELAYS) return malformed(`it has passed more than ${MOST_RELAYS} relays`);
    const hop = relayHopIn(rest);
    const inner = hop && optionIn(hop.options, dhcp6Code.relayMessage);
    if (hop === undefined || inner === undefined)
      return malformed('a relay has passed on no message, or one that cannot be read');
    relays.push(hop);
    rest = inner;
  }
  const message = plainMessageIn(rest);
  if (typeof message === 'string') return malformed(message);
  const { advertise, reply } = dhcp6Type;
  const isAnswer = isReply || message.type === advertise || message.type === reply;
  return { kind: isAnswer ? 'reply' : 'request', message, relays };
}

/** Returns why the bytes are no message, if they are none. */
function plainMessageIn(bytes: Uint8Array): Dhcp6Message | string {
  const [type] = bytes;
  if (type === undefined || bytes.length < HEADER)
    return `it has ${bytes.length} bytes; a DHCPv6 message has at least ${HEADER}`;
  const options = dhcp6OptionsIn(bytes.subarray(HEADER));
  if (options === undefined) return 'an option is longer than its message, or there are too many';
  return { type, transactionId: viewOf(bytes).readUIntBE(1, 3), options };
}

const viewOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const malformed = (reason: string): DecodedDhcp6 => ({ kind: 'malformed', reason });

const isRelayed = ([type]: Uint8Array, isReply: boolean): boolean =>
  type === (isReply ? dhcp6Type.relayReply : dhcp6Type.relayForward);

function relayHopIn(view: Uint8Array): RelayHop | undefined {
  if (view.length < RELAY_HEADER) return undefined;
  const options = dhcp6OptionsIn(view.subarray(RELAY_HEADER));
  if (options === undefined) return undefined;
  const link = ipv6Of(view.subarray(2, 18));
  return { hops: view[1] ?? 0, link, peer: ipv6Of(view.subarray(18, RELAY_HEADER)), options };
}

/** Returns undefined when an option is longer than the rest of the bytes, and when there are more than MOST_OPTIONS. */
export function dhcp6OptionsIn(bytes: Uint8Array): readonly Dhcp6Option[] | undefined {
  const view = viewOf(bytes);
  const options: Dhcp6Option[] = [];
  for (let at = 0; at < view.length;) {
    if (at + OPTION_HEADER > view.length || options.length === MOST_OPTIONS) return undefined;
    const end = at + OPTION_HEADER + view.readUInt16BE(at + 2);
    if (end > view.length) return undefined;
    options.push({ code: view.readUInt16BE(at), value: view.subarray(at + OPTION_HEADER, end) });
    at = end;
  }
  return options;
}

/** The value of the first option with the code. */
export const optionIn = (options: readonly Dhcp6Option[], wanted: number): Uint8Array | undefined =>
  options.find(({ code }) => code === wanted)?.value;

export function encodeDhcp6({ type, transactionId, options }: Dhcp6Message): Buffer {
  const header = Buffer.alloc(HEADER);
  header[0] = type;
  header.writeUIntBE(transactionId, 1, 3);
  return Buffer.concat([header, dhcp6OptionBytes(options)]);
}

/** Wraps a message for relays, the nearest first. `type`: forward for what relays send, reply for what they get. */
export function encodeRelayed(
  type: 'relayForward' | 'relayReply',
  relays: readonly RelayHop[],
  message: Uint8Array,
): Uint8Array {
  return relays.reduceRight<Uint8Array>((inner, { hops, link, peer, options }) => {
    const header = Buffer.from([dhcp6Type[type], hops]);
    const all = dhcp6OptionBytes([...options, { code: dhcp6Code.relayMessage, value: inner }]);
    return Buffer.concat([header, ipv6Bytes(link), ipv6Bytes(peer), all]);
  }, message);
}

export const dhcp6OptionBytes = (options: readonly Dhcp6Option[]): Buffer =>
  Buffer.concat(
    options.flatMap(({ code, value }) => {
      const header = Buffer.alloc(OPTION_HEADER);
      header.writeUInt16BE(code, 0);
      header.writeUInt16BE(value.length, 2);
      return [header, value];
    }),
  );

/** A list of texts or bytes, each with its length in two bytes before it, as in user and vendor classes; undefined if malformed. */
export function lengthPrefixed(bytes: Uint8Array): readonly Buffer[] | undefined {
  const view = viewOf(bytes);
  const items: Buffer[] = [];
  for (let at = 0; at < view.length;) {
    if (at + 2 > view.length || items.length === MOST_OPTIONS) return undefined;
    const end = at + 2 + view.readUInt16BE(at);
    if (end > view.length) return undefined;
    items.push(view.subarray(at + 2, end));
    at = end;
  }
  return items;
}
