// The `validate-interfaces` hook: turns the inventory's network interfaces into plugin data: `all_interfaces` (the usable ones by
// name), `valid_interfaces` (those that `[inspector] add_ports` chooses) and `macs` (the MAC addresses of the chosen ones).
import {
  canonicalIp,
  defineHook,
  type InspectionDraft,
  InspectionError,
  isJsonObject,
  isLoopback,
  type Json,
  type JsonObject,
  parseMac,
  parseStationMac,
} from '#plugin-api';
import { options } from '../options.ts';
import { parseBootif } from './bootif.ts';
import type { ReportedInterface } from './reported-interface.ts';
import { shorten, shown } from '../shown.ts';

/** Far more than any machine has. The limit keeps a hostile list from flooding the log. */
const MAX_INTERFACES = 4096;

export const validateInterfaces = defineHook({
  preprocess(draft) {
    const pxeMac = bootMac(draft.inventory);
    const { add_ports: addPorts } = options(draft);
    const all = usableInterfaces(draft, pxeMac);
    if (addPorts === 'pxe' && pxeMac === undefined) {
      draft.warn('The inventory does not say which interface the ramdisk booted from: using all of them.');
    }
    const onlyPxe = addPorts === 'pxe' && pxeMac !== undefined;
    const valid = all.filter(
      ([name, reported]) =>
        !isLoopbackInterface(name, reported) &&
        // tunnels and similar interfaces have an all-zero address
        parseStationMac(reported.mac_address) !== undefined &&
        (!onlyPxe || reported.pxe_enabled) &&
        (addPorts !== 'active' || ipOf(reported) !== undefined),
    );
    if (valid.length === 0) {
      const names = shorten(all.map(([name, { mac_address }]) => `${name} (${mac_address})`).join(', '), 500);
      throw new InspectionError(
        `Invalid inventory: no network interface suits [inspector] add_ports = ${addPorts}. ` +
          `Booted from: ${pxeMac ?? 'unknown'}. Reported: ${names}`,
      );
    }
    draft.pluginData['all_interfaces'] = Object.fromEntries(all);
    draft.pluginData['valid_interfaces'] = Object.fromEntries(valid);
    draft.pluginData['macs'] = valid.map(([, { mac_address }]) => mac_address);
  },
});

/**
 * Returns the MAC address of the interface that the ramdisk booted from; undefined when the inventory does not name it, for example
 * after a boot from virtual media.
 */
function bootMac({ boot }: JsonObject): string | undefined {
  const bootif = isJsonObject(boot) ? boot['pxe_interface'] : undefined;
  return typeof bootif === 'string' ? parseBootif(bootif) : undefined;
}

/** Returns interfaces by name. If several have the same name, the last one is used. */
function usableInterfaces(draft: InspectionDraft, pxeMac: string | undefined): [string, ReportedInterface][] {
  const { interfaces } = draft.inventory;
  if (!Array.isArray(interfaces) || interfaces.length === 0 || interfaces.length > MAX_INTERFACES) {
    throw new InspectionError(
      `Invalid inventory: interfaces is ${shown(interfaces)}, expected a list of 1 to ${MAX_INTERFACES} network interfaces`,
    );
  }
  const usable = new Map<string, ReportedInterface>();
  for (const entry of interfaces as readonly Json[]) {
    const reported = cleaned(entry, pxeMac);
    if (reported === undefined) {
      draft.warn(`Skipping a network interface without a name or a valid MAC address: ${shown(entry)}`);
    } else {
      usable.set(...reported);
    }
  }
  if (usable.size === 0) {
    throw new InspectionError(
      `Invalid inventory: no valid network interfaces. Expected a name and a MAC address, received ${shown(interfaces)}`,
    );
  }
  return [...usable];
}

function cleaned(entry: Json, pxeMac: string | undefined): [string, ReportedInterface] | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { name, mac_address: address, ipv6_address: ipv6 } = entry;
  const mac = typeof address === 'string' ? parseMac(address) : undefined;
  if (typeof name !== 'string' || name === '' || mac === undefined) return undefined;
  const withoutScope = typeof ipv6 === 'string' && { ipv6_address: ipv6.replace(/%.*$/s, '') };
  return [name, { ...entry, ...withoutScope, mac_address: mac, pxe_enabled: mac === pxeMac }];
}

function isLoopbackInterface(name: string, reported: JsonObject): boolean {
  const ip = ipOf(reported);
  return name === 'lo' || (ip !== undefined && isLoopback(ip));
}

function ipOf({ ipv4_address, ipv6_address }: JsonObject): string | undefined {
  return [ipv4_address, ipv6_address]
    .map((address) => (typeof address === 'string' ? canonicalIp(address) : undefined))
    .find((ip) => ip !== undefined);
}
