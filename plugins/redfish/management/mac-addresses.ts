// The MAC addresses of the machine's network cards.
import { isJsonObject, type JsonObject, parseStationMac, type Task } from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { ownChassis } from '../bmc/chassis.ts';
import { pathIn, stringsIn } from '../bmc/fields.ts';
import { converse } from '../bmc/converse.ts';

export const getMacAddresses = (task: Task): Promise<readonly string[]> =>
  converse(task, { operation: 'Reading the network cards', length: 4 }, async (bmc) => {
    const macs = await macAddresses(bmc);
    if (macs.length === 0) task.log.warn({}, 'the BMC shows no MAC address');
    return macs;
  });

export async function macAddresses(bmc: Bmc): Promise<readonly string[]> {
  const own = (await ethernetInterfaces(bmc)).filter(isUsable).flatMap(macsIn);
  const macs = own.length > 0 ? own : (await adapterPorts(bmc)).flatMap(macsIn);
  return [...new Set(macs)];
}

/** The EthernetInterfaces of the system; empty where a BMC has none. */
export async function ethernetInterfaces(bmc: Bmc): Promise<readonly JsonObject[]> {
  return bmc.optionalMembers('the network cards', pathIn((await bmc.knownSystem())['EthernetInterfaces']));
}

/**
 * The ports of the cards in the chassis, or the functions of a card that links no ports. They may show MAC addresses that
 * EthernetInterfaces hides while the machine is off.
 */
export async function adapterPorts(bmc: Bmc): Promise<readonly JsonObject[]> {
  const ports: JsonObject[] = [];
  for (const adapter of await networkAdapters(bmc)) {
    const functions = pathIn(adapter['NetworkDeviceFunctions']);
    const path = pathIn(adapter['Ports']) ?? pathIn(adapter['NetworkPorts']) ?? functions;
    ports.push(...(await bmc.optionalMembers('the ports of the network adapters', path)));
  }
  return ports;
}

/** The network adapters in the chassis of the machine. */
export async function networkAdapters(bmc: Bmc): Promise<readonly JsonObject[]> {
  const adapters: JsonObject[] = [];
  for (const { NetworkAdapters: link } of await ownChassis(bmc))
    adapters.push(...(await bmc.optionalMembers('the network adapters', pathIn(link))));
  return adapters;
}

/** The card's MAC addresses, normalised; empty when the card has no valid one. */
export function macsIn(card: JsonObject): readonly string[] {
  const ethernet = isJsonObject(card['Ethernet']) ? card['Ethernet'] : {};
  const texts = [
    card['MACAddress'],
    ethernet['MACAddress'],
    ...stringsIn(ethernet['AssociatedMACAddresses']),
    ...stringsIn(card['AssociatedNetworkAddresses']),
  ];
  return texts.flatMap((text) => (typeof text === 'string' ? (parseStationMac(text) ?? []) : []));
}

const isUsable = ({ Status: status }: JsonObject): boolean =>
  !isJsonObject(status) ||
  ((status['Health'] ?? 'OK') === 'OK' && (status['State'] ?? 'Enabled') === 'Enabled');
