// The hosts that a node's driver_info names as its BMC.
import { canonicalIp } from '../../lib/network/ip.ts';
import type { JsonObject } from '../json.ts';

/**
 * Returns the hosts in the `*_address` fields of `driver_info`, without URL parts and brackets. With IPMI bridging, the BMC at
 * `ipmi_address` belongs to another machine, so `ipmi_*` fields are ignored.
 */
export function bmcHosts(driverInfo: JsonObject): string[] {
  const bridged = (driverInfo['ipmi_bridging'] ?? 'no') !== 'no';
  return Object.entries(driverInfo)
    .filter(([name]) => name.endsWith('_address') && !(bridged && name.startsWith('ipmi_')))
    .map(([, value]) => (typeof value === 'string' ? hostOf(value) : ''))
    .filter((host) => host !== '');
}

function hostOf(value: string): string {
  if (canonicalIp(value) !== undefined) return value;
  const host = URL.parse(value.includes('//') ? value : `https://${value}`)?.hostname ?? value;
  return host.replace(/^\[(.*)\]$/, '$1');
}

/** Returns `driverInfo` with another host in its `*_address` fields. `address`: a canonical IP address. */
export const withBmcAddress = (driverInfo: JsonObject, address: string): JsonObject =>
  Object.fromEntries(
    Object.entries(driverInfo).map(([name, value]) => {
      if (!name.endsWith('_address') || typeof value !== 'string') return [name, value];
      const old = hostOf(value);
      if (canonicalIp(old) === address) return [name, value];
      return [name, value === old ? address : value.replace(bracketed(old), bracketed(address))];
    }),
  );

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);
