// Parses dnsmasq's lease file.
import { canonicalIp } from '../../lib/network/ip.ts';
import { parseMac } from '../../lib/network/mac.ts';

/**
 * Returns IPv4 addresses by MAC address. A lease is a line `EXPIRY MAC ADDRESS HOST CLIENT-ID`; DHCPv6 leases, which
 * follow the line `duid`, have no MAC address. Lines that are not IPv4 leases are skipped.
 */
export function leasedAddresses(text: string): ReadonlyMap<string, string> {
  const leases = text.split('\n').flatMap((line): [string, string][] => {
    const [expiry = '', hardware = '', address = ''] = line.trim().split(/\s+/);
    const [mac, ip] = [parseMac(hardware), canonicalIp(address)];
    return /^\d+$/.test(expiry) && mac !== undefined && ip !== undefined ? [[mac, ip]] : [];
  });
  return new Map(leases);
}
