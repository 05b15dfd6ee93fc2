// What a BMC reports about its machine, in the form of a ramdisk's inventory.
import type { JsonObject, Logger } from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { numberIn, objectIn, pathIn, textIn } from '../bmc/fields.ts';
import { adapterPorts, ethernetInterfaces, macsIn } from '../management/mac-addresses.ts';
import { type Cpu, cpuOf } from './processors.ts';
import { type Disk, readStorage } from './storage.ts';

export interface Inventory {
  readonly memory: { readonly physical_mb: number };
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
}

export async function inventoryOf(bmc: Bmc, log: Logger): Promise<Seen> {
  const system = await bmc.system();
  const { disks, controllers } = await readStorage(bmc, system);
  const { interfaces, ports } = await cards(bmc, log);
  const mode = textIn(objectIn(system['Boot'])['BootSourceOverrideMode']);
  return {
    inventory: {
      memory: {
        physical_mb: (numberIn(objectIn(system['MemorySummary'])['TotalSystemMemoryGiB']) ?? 0) * 1024,
      },
      cpu: await cpuOf(bmc, system),
      disks,
      interfaces,
      storage_controllers: controllers,
      system_vendor: vendorOf(system),
      boot: mode === undefined ? {} : { current_boot_mode: mode === 'UEFI' ? 'uefi' : 'bios' },
    },
    lldp: Object.fromEntries(ports.flatMap(lldpOf)),
  };
}

const vendorOf = (system: JsonObject): JsonObject => ({
  product_name: textIn(system['Model']) ?? '',
  serial_number: textIn(system['SerialNumber']) ?? '',
  manufacturer: textIn(system['Manufacturer']) ?? '',
  ...(textIn(system['UUID']) !== undefined && { system_uuid: textIn(system['UUID']) ?? '' }),
  ...(textIn(system['SKU']) !== undefined && { sku: textIn(system['SKU']) ?? '' }),
});

interface Cards {
  readonly interfaces: readonly JsonObject[];
  readonly ports: readonly JsonObject[];
}

/** `ports`: those of the adapters in the chassis. `interfaces`: EthernetInterfaces or, if none has a MAC address, the `ports`. */
async function cards(bmc: Bmc, log: Logger): Promise<Cards> {
  const ports = await adapterPorts(bmc);
  const own = (await ethernetInterfaces(bmc)).flatMap(interfacesOf);
  if (own.length > 0) return { interfaces: own, ports };
  log.warn(
    {},
    'the BMC shows no MAC address in EthernetInterfaces; the MAC addresses of its network adapters are used',
  );
  return { interfaces: ports.flatMap(interfacesOf), ports };
}

const interfacesOf = (card: JsonObject): readonly JsonObject[] =>
  macsIn(card).map((mac_address) => ({
    mac_address,
    name: textIn(card['Id']) ?? mac_address,
    ...(numberIn(card['SpeedMbps']) !== undefined && { speed_mbps: numberIn(card['SpeedMbps']) ?? 0 }),
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
