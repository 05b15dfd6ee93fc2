// What a BMC reports about its machine, in the form of a ramdisk's inventory.
import type { JsonObject, Logger, Port } from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { numberIn, objectIn, pathIn, textIn, wholeIn } from '../bmc/fields.ts';
import { adapterPorts, ethernetInterfaces, macsIn } from '../management/mac-addresses.ts';
import { type Cpu, cpuOf } from './processors.ts';
import { type Disk, readStorage } from './storage.ts';

export interface Inventory {
  /** Null when the BMC does not report it. */
  readonly memory: { readonly physical_mb: number | null };
  readonly cpu: Cpu;
  readonly disks: readonly Disk[];
  readonly interfaces: readonly JsonObject[];
  readonly storage_controllers: readonly JsonObject[];
  readonly system_vendor: JsonObject;
  readonly boot: { readonly current_boot_mode?: 'uefi' | 'bios' };
}

export interface Seen {
  readonly inventory: Inventory;
  /** What the ports of the network cards received by LLDP, keyed by port, in the form that the hook parse-lldp stores. */
  readonly lldp: JsonObject;
  /** What could not be read: for each part one line with the reason. */
  readonly unread: readonly string[];
  /** False when the network cards are partly those of the node's ports. */
  readonly areAllCards: boolean;
}

/** `ports`: those of the node. Their MAC addresses are used when the BMC does not show all of its network cards. */
export async function inventoryOf(bmc: Bmc, log: Logger, ports: readonly Port[]): Promise<Seen> {
  const system = await bmc.system();
  const { disks, controllers } = await readStorage(bmc, system);
  const { interfaces, adapters, areAll } = await cards(bmc, log);
  const gibibytes = numberIn(objectIn(system['MemorySummary'])['TotalSystemMemoryGiB']) ?? 0;
  const mode = textIn(objectIn(system['Boot'])['BootSourceOverrideMode']);
  return {
    inventory: {
      memory: { physical_mb: gibibytes > 0 ? Math.floor(gibibytes * 1024) : null },
      cpu: await cpuOf(bmc, system),
      disks,
      interfaces: areAll ? interfaces : withPorts(interfaces, ports),
      storage_controllers: controllers,
      system_vendor: vendorOf(system),
      boot: mode === undefined ? {} : { current_boot_mode: mode === 'UEFI' ? 'uefi' : 'bios' },
    },
    lldp: Object.fromEntries(adapters.flatMap(lldpOf)),
    unread: bmc.unread,
    areAllCards: areAll,
  };
}

function vendorOf(system: JsonObject): JsonObject {
  const shown = (name: string): string => (textIn(system[name]) ?? '').trim();
  return {
    product_name: shown('Model'),
    serial_number: shown('SerialNumber'),
    manufacturer: shown('Manufacturer'),
    ...(shown('UUID') !== '' && { system_uuid: shown('UUID') }),
    ...(shown('SKU') !== '' && { sku: shown('SKU') }),
  };
}

interface Cards {
  readonly interfaces: readonly JsonObject[];
  readonly adapters: readonly JsonObject[];
  /** False when the BMC shows no MAC address, or a part with network cards could not be read. */
  readonly areAll: boolean;
}

/**
 * `adapters`: the ports of the adapters in the chassis. `interfaces`: EthernetInterfaces or, if none has a MAC address, the
 * `adapters`.
 */
async function cards(bmc: Bmc, log: Logger): Promise<Cards> {
  const before = bmc.unread.length;
  const own = (await ethernetInterfaces(bmc)).flatMap(interfacesOf);
  const hasAllOwn = bmc.unread.length === before;
  const adapters = await adapterPorts(bmc);
  if (own.length > 0) return { interfaces: own, adapters, areAll: hasAllOwn };
  const interfaces = adapters.flatMap(interfacesOf);
  const otherwise = interfaces.length > 0 ? 'its network adapters' : "the node's ports";
  log.warn(
    {},
    `the BMC shows no MAC address in EthernetInterfaces; the MAC addresses of ${otherwise} are used`,
  );
  return { interfaces, adapters, areAll: interfaces.length > 0 && bmc.unread.length === before };
}

/** A port of a card that the BMC does not show must not look like one of a card that is gone. */
function withPorts(interfaces: readonly JsonObject[], ports: readonly Port[]): readonly JsonObject[] {
  const shown = new Set(interfaces.map(({ mac_address: mac }) => mac));
  const others = ports.filter(({ address }) => !shown.has(address));
  return [...interfaces, ...others.map(({ address }) => ({ mac_address: address, name: address }))];
}

const interfacesOf = (card: JsonObject): readonly JsonObject[] =>
  macsIn(card).map((mac_address) => ({
    mac_address,
    name: textIn(card['Id']) ?? mac_address,
    ...(wholeIn(card['SpeedMbps']) !== undefined && { speed_mbps: wholeIn(card['SpeedMbps']) ?? 0 }),
  }));

function lldpOf(port: JsonObject): readonly (readonly [string, JsonObject])[] {
  const seen = objectIn(objectIn(port['Ethernet'])['LLDPReceive']);
  const told = {
    switch_chassis_id: textIn(seen['ChassisId']),
    switch_port_id: textIn(seen['PortId']),
    switch_system_name: textIn(seen['SystemName']),
    switch_system_description: textIn(seen['SystemDescription']),
  };
  const known = Object.entries(told).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, text] as const],
  );
  const id = textIn(port['Id']) ?? pathIn(port);
  return known.length === 0 || id === undefined ? [] : [[id, Object.fromEntries(known)]];
}
