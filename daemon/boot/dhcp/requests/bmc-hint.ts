// What the request of a machine without a port says of the machine, in case it is a BMC: BMCs ask for addresses like any system.
import { ipv4Text } from '../../../lib/network/ipv4.ts';
import { plainText } from '../../../lib/plain-text.ts';
import type { Client } from '../client.ts';
import { addressOption, optionCode, textOption } from '../options.ts';
import { type DhcpMessage, messageType } from '../wire.ts';
import { messageTypeOf } from '../decide.ts';

/** An option in several parts may be longer. */
const MOST_CHARACTERS = 255;

export interface DhcpHint {
  readonly source: 'dhcp';
  /** The address that the machine is about to have, from whichever server. */
  readonly address: string;
  readonly mac: string;
  readonly hostname: string | undefined;
  readonly vendorClass: string | undefined;
}

export function hintIn(request: DhcpMessage, { mac, stage }: Client): DhcpHint | undefined {
  const { options, clientAddress } = request;
  if (stage !== 'os' || messageTypeOf(request) !== messageType.request) return undefined;
  const address = addressOption(options, optionCode.requestedAddress) ?? clientAddress;
  if (address === 0) return undefined;
  const text = (code: number) =>
    plainText((textOption(options, code) ?? '').slice(0, MOST_CHARACTERS)).trim() || undefined;
  return {
    source: 'dhcp',
    address: ipv4Text(address),
    mac,
    hostname: text(optionCode.hostName),
    vendorClass: text(optionCode.vendorClass),
  };
}
