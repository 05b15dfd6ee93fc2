// What a relay says of a request that it passes on, and of the answer to it. Without a relay's address in the message, nothing of
// this counts: a machine on the network of the daemon could write it itself.
import { addressOption, type DhcpOptions, optionCode, readOptions } from '../options.ts';
import type { DhcpMessage } from '../wire.ts';

/** Sub-options of option 82. */
const [LINK_SELECTION, SERVER_ID_OVERRIDE] = [5, 11];

const saidBy = ({ options }: DhcpMessage): DhcpOptions | undefined => {
  const value = options.get(optionCode.relayAgent);
  return value && readOptions([value]);
};

const addressIn = (message: DhcpMessage, subOption: number): number | undefined => {
  const said = message.relay === 0 ? undefined : saidBy(message);
  return said && addressOption(said, subOption);
};

/**
 * An address of the network that the machine is on; 0 if no relay has passed the request on. It is what the relay selects (RFC
 * 3527), or else the message (RFC 3011), or else the relay's own address, to which answers go in any case.
 */
export function linkOf(message: DhcpMessage): number {
  if (message.relay === 0) return 0;
  return (
    addressIn(message, LINK_SELECTION) ??
    addressOption(message.options, optionCode.subnetSelection) ??
    message.relay
  );
}

/** The address that the client is to take for the server's, so that its later requests pass the relay too (RFC 5107). */
export const serverIdFor = (message: DhcpMessage): number | undefined =>
  addressIn(message, SERVER_ID_OVERRIDE);
