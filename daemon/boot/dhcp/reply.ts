// Builds the server's messages and says where they go. Pure.
import type { SetOption } from '../../config/dhcp-options/set-options.ts';
import type { DhcpSubnet, IpNumber } from '../../config/dhcp-subnet.ts';
import { ipv4Text } from '../../lib/network/ipv4.ts';
import { type BootChoice, bootFileOf } from '../boot-choice.ts';
import type { BootStage } from './client.ts';
import { addressesValue, optionCode, textValue, uint32Value } from './options.ts';
import { serverIdFor } from './requests/relay-agent.ts';
import { fittingOptions, wantedOptions } from './requests/wanted-options.ts';
import { BROADCAST_FLAG, type DhcpMessage, messageType } from './wire.ts';

const CLIENT_PORT = 68;
export const SERVER_PORT = 67;
export const BROADCAST = 0xff_ff_ff_ff;

export interface Destination<A extends IpNumber = number> {
  readonly address: A;
  readonly port: number;
}

interface Given {
  /** 0 where the client keeps the address that it has. */
  readonly yourAddress: number;
  /** Undefined where no address is given. */
  readonly leaseSeconds: number | undefined;
  readonly subnet: DhcpSubnet;
  readonly serverAddress: number;
  readonly stage: BootStage;
  readonly boot: BootChoice | undefined;
  /** The options that operators have set for the machine; those of its port come first. */
  readonly set: readonly SetOption[];
}

type Options = readonly (readonly [code: number, value: Uint8Array])[];

export interface Granted {
  readonly message: DhcpMessage;
  /** Options for the machine that the message has no room for. */
  readonly leftOut: readonly SetOption[];
}

/** An OFFER or ACK. Both carry the same data: clients take the boot file from either. */
export function grant(request: DhcpMessage, type: 'offer' | 'acknowledge', given: Given): Granted {
  const { subnet, serverAddress, stage, boot, leaseSeconds } = given;
  const message = reply(request, messageType[type], serverAddress, {
    ...headerOf(boot, serverAddress),
    yourAddress: given.yourAddress,
    options: [
      ...(leaseSeconds === undefined ? [] : leaseTimes(leaseSeconds)),
      ...networkOptions(subnet),
      ...bootOptions(boot, serverAddress),
      ...stageOptions(stage, boot),
    ],
  });
  const wanted = wantedOptions(request, given.set, boot !== undefined);
  const { kept, leftOut } = fittingOptions(request, wanted, message.options);
  const options = new Map([...message.options, ...kept.map(({ code, value }) => [code, value] as const)]);
  return { message: { ...message, options }, leftOut };
}

/** A DHCPNAK. It is broadcast, by the server or by the relay, because the client cannot use its address. */
export function negativeReply(request: DhcpMessage, serverAddress: number, reason: string): DhcpMessage {
  const options: Options = [[optionCode.message, textValue(reason)]];
  return {
    ...reply(request, messageType.refuse, serverAddress, { options }),
    clientAddress: 0,
    flags: request.relay === 0 ? request.flags : request.flags | BROADCAST_FLAG,
  };
}

/** An OFFER or ACK of a server that gives no addresses and only says what to boot (PXE 2.1, section 2.2). */
export function proxyGrant(
  request: DhcpMessage,
  type: 'offer' | 'acknowledge',
  { serverAddress, stage, boot }: Pick<Given, 'serverAddress' | 'stage' | 'boot'>,
): DhcpMessage {
  const isHttp = stage === 'uefi-http';
  const options: Options = [
    ...bootOptions(boot, serverAddress),
    ...stageOptions(stage, boot),
    ...(isHttp ? [] : ([[optionCode.vendorClass, textValue('PXEClient')]] as const)),
    ...(isHttp ? [] : ([[optionCode.vendorSpecific, BOOT_FILE_AT_ONCE]] as const)),
  ];
  return reply(request, messageType[type], serverAddress, { ...headerOf(boot, serverAddress), options });
}

/** PXE_DISCOVERY_CONTROL = 8: the client looks for no boot server, because this message names the file. The end tag follows. */
const BOOT_FILE_AT_ONCE = Uint8Array.of(6, 1, 8, 255);
/** Encapsulated iPXE option `no-pxedhcp` = 1: iPXE then does not wait 3 s for ProxyDHCP servers. */
const NO_PROXY_DHCP = Uint8Array.of(0xb0, 1, 1);

interface Parts {
  readonly yourAddress?: number;
  readonly nextServer?: number;
  readonly file?: string;
  readonly options: Options;
}

function reply(request: DhcpMessage, type: number, serverAddress: number, parts: Parts): DhcpMessage {
  const { hardwareType, hardwareAddress, transactionId, flags, relay, clientAddress } = request;
  const { yourAddress = 0, nextServer = 0, file = '' } = parts;
  return {
    op: 'reply',
    hardwareType,
    hardwareAddress,
    hops: 0,
    transactionId,
    flags,
    clientAddress: type === messageType.offer ? 0 : clientAddress,
    yourAddress,
    nextServer,
    relay,
    file,
    options: new Map([
      [optionCode.messageType, Uint8Array.of(type)],
      [optionCode.serverId, addressesValue([serverIdFor(request) ?? serverAddress])],
      ...parts.options,
      ...echoed(request),
    ]),
  };
}

/** The options that a reply repeats unchanged: the relay's, and the client's identifiers (RFC 6842, PXE 2.1; RFC 3011). */
function echoed({ options, relay }: DhcpMessage): Options {
  const { clientId, machineId, relayAgent, subnetSelection } = optionCode;
  return [clientId, machineId, relayAgent, ...(relay === 0 ? [] : [subnetSelection])].flatMap((code) => {
    const value = options.get(code);
    return value === undefined ? [] : [[code, value] as const];
  });
}

const leaseTimes = (seconds: number): Options => [
  [optionCode.leaseTime, uint32Value(seconds)],
  [optionCode.renewalTime, uint32Value(Math.floor(seconds / 2))],
  [optionCode.rebindingTime, uint32Value(Math.floor((seconds * 7) / 8))],
];

function networkOptions(subnet: DhcpSubnet): Options {
  const lists = [
    [optionCode.router, subnet.routers],
    [optionCode.dns, subnet.dns],
    [optionCode.ntp, subnet.ntp],
  ] as const;
  return [
    [optionCode.subnetMask, uint32Value(subnet.mask)],
    [optionCode.broadcast, uint32Value(subnet.last)],
    ...lists.flatMap(([code, list]) => (list.length === 0 ? [] : [[code, addressesValue(list)] as const])),
    ...(subnet.domain === undefined ? [] : [[optionCode.domain, textValue(subnet.domain)] as const]),
  ];
}

const nextServerOf = (boot: BootChoice | undefined, serverAddress: number): number =>
  boot?.kind === 'tftp' ? (boot.nextServer ?? serverAddress) : serverAddress;

function headerOf(boot: BootChoice | undefined, serverAddress: number): Pick<Parts, 'nextServer' | 'file'> {
  if (boot === undefined) return {};
  return { nextServer: nextServerOf(boot, serverAddress), file: bootFileOf(boot) };
}

function bootOptions(boot: BootChoice | undefined, serverAddress: number): Options {
  if (boot === undefined) return [];
  if (boot.kind === 'http') return [[optionCode.bootFile, textValue(boot.url)]];
  const tftp = nextServerOf(boot, serverAddress);
  return [
    [optionCode.tftpServer, textValue(ipv4Text(tftp))],
    [optionCode.bootFile, textValue(boot.file)],
    [optionCode.tftpAddress, addressesValue([tftp])],
  ];
}

/**
 * UEFI accepts a URL only in a reply with the vendor class HTTPClient. The class PXEClient is sent only by `proxyGrant`, together
 * with option 43: without that option, firmware would look for a boot server on port 4011 and give up (PXE-E16).
 */
function stageOptions(stage: BootStage, boot: BootChoice | undefined): Options {
  if (stage === 'ipxe') return [[optionCode.ipxe, NO_PROXY_DHCP]];
  if (stage === 'uefi-http' && boot !== undefined) return [[optionCode.vendorClass, textValue('HTTPClient')]];
  return [];
}

/**
 * A reply goes to the relay, if there is one; else to the client's address, if it equals `confirmed`; else to all hosts.
 * `confirmed`: the address that this server has given to the client, or that a DHCPINFORM names within the served subnet; 0 for
 * none. No other address is trusted, because a client could claim the address of another host and direct replies at it.
 */
export function destinationOf({ relay, clientAddress }: DhcpMessage, confirmed: number): Destination {
  if (relay !== 0) return { address: relay, port: SERVER_PORT };
  if (confirmed !== 0 && confirmed === clientAddress) return { address: clientAddress, port: CLIENT_PORT };
  return { address: BROADCAST, port: CLIENT_PORT };
}
