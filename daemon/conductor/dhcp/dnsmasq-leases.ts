// What dnsmasq writes of the addresses that it gave away.
import { canonicalIp } from '../../lib/ip.ts';
import { parseMac } from '../../lib/mac.ts';

/**
 * IPv4 addresses by MAC address. A lease is a line `EXPIRY MAC ADDRESS HOST CLIENT-ID`; those of DHCPv6, after the line
 * `duid`, have no MAC address. What is no lease is passed over.
 */
export function leasedAddresses(text: string): ReadonlyMap<string, string> {
  const leases = text.split('\n').flatMap((line): [string, string][] => {
    const [expiry = '', hardware = '', address = ''] = line.trim().split(/\s+/);
    const [mac, ip] = [parseMac(hardware), canonicalIp(address)];
    return /^\d+$/.test(expiry) && mac !== undefined && ip !== undefined ? [[mac, ip]] : [];
  });
  return new Map(leases);
}
