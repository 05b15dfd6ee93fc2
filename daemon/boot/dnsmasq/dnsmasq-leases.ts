// Parses dnsmasq's lease file.
import { canonicalIp } from '../../lib/network/ip.ts';
import { parseMac } from '../../lib/network/mac.ts';

/**
 * Returns IPv4 addresses by MAC address; on a network other than Ethernet, by client identifier. A lease is a line `EXPIRY MAC ADDRESS HOST CLIENT-ID`, where a
 * network other than Ethernet has another hardware address, or none, after its type: `20-`. DHCPv6 leases, which follow the line
 * `duid`, have no MAC address. Lines that are not IPv4 leases are skipped.
 */
export function leasedAddresses(text: string): ReadonlyMap<string, string> {
  const leases = text.split('\n').flatMap((line): [string, string][] => {
    const [expiry = '', hardware = '', address = '', , clientId = ''] = line.trim().split(/\s+/);
    const [machine, ip] = [parseMac(hardware) ?? otherMachine(hardware, clientId), canonicalIp(address)];
    return /^\d+$/.test(expiry) && machine !== undefined && ip !== undefined ? [[machine, ip]] : [];
  });
  return new Map(leases);
}

/** On a network other than Ethernet, the machine's client identifier. */
function otherMachine(hardware: string, clientId: string): string | undefined {
  const isKnown = /^[\da-f]{2}-/i.test(hardware) && /^[\da-f]{2}:/i.test(clientId);
  return isKnown ? clientId.toLowerCase() : undefined;
}
