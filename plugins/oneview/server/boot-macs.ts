// Reads from the appliance's description of a server the MAC addresses with which the server boots from the network.
import { isJsonObject, type Json, type JsonObject, parseMac } from '#plugin-api';

/**
 * Returns the address of the first Ethernet port of each adapter, in the order of the slots; empty for a server without a
 * port map, such as most rack servers.
 */
export function adapterMacs({ portMap }: JsonObject): readonly string[] {
  const slots = isJsonObject(portMap) ? objectsIn(portMap['deviceSlots']) : [];
  return slots.flatMap((slot) => {
    const port = objectsIn(slot['physicalPorts']).find(({ type }) => type === 'Ethernet');
    const mac = port && macOfPort(port);
    return mac === undefined ? [] : [mac];
  });
}

/** OneView gives each function of a physical port a MAC address. The first function boots. */
function macOfPort(port: JsonObject): string | undefined {
  const first = objectsIn(port['virtualPorts']).find(({ portFunction }) => portFunction === 'a');
  return macIn(first?.['mac']) ?? macIn(port['mac']);
}

const macIn = (value: Json | undefined): string | undefined =>
  typeof value === 'string' ? parseMac(value) : undefined;

const objectsIn = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

/**
 * Returns which of `macs`, the addresses of the adapters, a port of the node has: the first or the last; undefined for neither.
 * Nodes may be enrolled with the last address, because Ironic's driver took it by mistake.
 */
export function matchingPort(
  macs: readonly string[],
  ports: readonly { readonly address: string }[],
): 'first' | 'last' | undefined {
  const has = (mac: string | undefined) =>
    mac !== undefined && ports.some(({ address }) => address.toLowerCase() === mac.toLowerCase());
  if (has(macs[0])) return 'first';
  return has(macs.at(-1)) ? 'last' : undefined;
}
