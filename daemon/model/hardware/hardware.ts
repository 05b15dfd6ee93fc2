// What a machine is made of, read from an inspection report: what drift and hardware classes compare. All text in it was written
// by the machine, so it is cut and made visible here, once.
import { visibleLine } from '../../lib/plain-text.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';

export const diskKinds = ['nvme', 'ssd', 'hdd'] as const;
export type DiskKind = (typeof diskKinds)[number];

export interface HardwareDisk {
  /** The serial number, else the WWN; null when the report has neither. */
  readonly id: string | null;
  readonly bytes: number;
  readonly kind: DiskKind | null;
}

export interface HardwareCard {
  readonly mac: string;
  readonly mbps: number | null;
}

export interface HardwareDimm {
  readonly slot: string;
  readonly mib: number;
}

/** Null: the report does not list the part. */
export interface MachineHardware {
  readonly serial: string | null;
  readonly firmware: string | null;
  readonly cpu_model: string | null;
  readonly cpus: number | null;
  readonly cores: number | null;
  readonly threads: number | null;
  readonly memory_mib: number | null;
  readonly dimms: readonly HardwareDimm[] | null;
  readonly disks: readonly HardwareDisk[] | null;
  readonly network_cards: readonly HardwareCard[] | null;
  /** PCI vendor and device: `10de:2236`. */
  readonly accelerators: readonly string[] | null;
}

export type HardwarePart = keyof MachineHardware;

export interface SeenHardware {
  readonly hardware: MachineHardware;
  /** Whether the source said that it could not read some parts: its lists may lack something that is there. */
  readonly isPartial: boolean;
}

const LONGEST_TEXT = 64;
/** A longer list is not compared. */
const MOST_ITEMS = 512;

/** Both arguments as they are stored after an inspection. Never throws. */
export function hardwareIn(inventory: JsonObject, pluginData: JsonObject): SeenHardware {
  const { memory, system_vendor: vendor, interfaces } = inventory;
  const { dmi, unread, pci_devices: devices } = pluginData;
  return {
    hardware: {
      serial: textIn(of(vendor, 'serial_number')),
      firmware: textIn(of(of(vendor, 'firmware'), 'version')) ?? textIn(of(of(dmi, 'bios'), 'Version')),
      ...processorsIn(inventory, dmi),
      memory_mib: numberIn(of(memory, 'physical_mb')),
      dimms: listIn(of(of(dmi, 'memory'), 'devices'), dimmOf),
      disks: disksIn(inventory),
      network_cards: listIn(interfaces, cardOf),
      accelerators: listIn(devices, acceleratorOf),
    },
    isPartial: Array.isArray(unread) && unread.length > 0,
  };
}

function processorsIn({ cpu }: JsonObject, dmi: Json | undefined) {
  const sockets = objectsIn(of(dmi, 'cpu')) ?? [];
  const cores = sockets.map((socket) => numberIn(socket['Core Count']) ?? 0);
  return {
    cpu_model: textIn(of(cpu, 'model_name')),
    cpus: numberIn(of(cpu, 'socket_count')) ?? numberIn(sockets.length),
    cores: cores.includes(0) ? null : numberIn(cores.reduce((all, each) => all + each, 0)),
    threads: numberIn(of(cpu, 'count')),
  };
}

/** A BMC shows the drives of its storage controllers, with serial numbers; its `disks` may be volumes, which have none. */
function disksIn({ disks, storage_controllers: controllers }: JsonObject): readonly HardwareDisk[] | null {
  const drives = objectsIn(controllers)?.flatMap(({ drives: own }) => objectsIn(own) ?? []) ?? [];
  const known = drives.some(({ serial_number: serial }) => textIn(serial) !== null);
  return known ? listIn(drives, driveOf) : listIn(disks, diskOf);
}

function diskOf(disk: JsonObject): readonly HardwareDisk[] {
  const id = textIn(disk['serial']) ?? textIn(disk['wwn_with_extension']) ?? textIn(disk['wwn']);
  const isNvme = disk['tran'] === 'nvme' || textIn(disk['name'])?.startsWith('/dev/nvme') === true;
  const { rotational } = disk;
  const turning = typeof rotational === 'boolean' ? (rotational ? 'hdd' : 'ssd') : null;
  return sized(numberIn(disk['size']), { id, kind: isNvme ? 'nvme' : turning });
}

function driveOf(drive: JsonObject): readonly HardwareDisk[] {
  const kinds: Readonly<Record<string, DiskKind>> = { SSD: 'ssd', HDD: 'hdd' };
  const kind = drive['protocol'] === 'NVMe' ? 'nvme' : kinds[textIn(drive['media_type']) ?? ''];
  return sized(numberIn(drive['size']), { id: textIn(drive['serial_number']), kind: kind ?? null });
}

const sized = (bytes: number | null, rest: Omit<HardwareDisk, 'bytes'>): readonly HardwareDisk[] =>
  bytes === null ? [] : [{ ...rest, bytes }];

function cardOf(card: JsonObject): readonly HardwareCard[] {
  const mac = textIn(card['mac_address'])?.toLowerCase();
  return mac === undefined ? [] : [{ mac, mbps: numberIn(card['speed_mbps']) }];
}

/** An empty slot has a size such as `No Module Installed`. */
function dimmOf(device: JsonObject): readonly HardwareDimm[] {
  const slot = textIn(device['Locator']);
  const [, number = '', unit] = /^(\d{1,9}) ([MGT])i?B$/.exec(textIn(device['Size']) ?? '') ?? [];
  const mib = Number(number) * (unit === 'T' ? 1_048_576 : unit === 'G' ? 1024 : 1);
  return slot === null || mib === 0 ? [] : [{ slot, mib }];
}

/** PCI classes: processing accelerators, and 3D controllers, which are graphics cards without a display. */
function acceleratorOf(device: JsonObject): readonly string[] {
  const [pciClass, vendor, product] = ['class', 'vendor_id', 'product_id'].map((name) =>
    textIn(device[name]),
  );
  return /^(?:12|0302)/.test(pciClass ?? '') ? [`${vendor ?? ''}:${product ?? ''}`] : [];
}

const of = (value: Json | undefined, name: string): Json | undefined =>
  isJsonObject(value) ? value[name] : undefined;

function textIn(value: Json | undefined): string | null {
  const text = typeof value === 'string' ? visibleLine(value.slice(0, LONGEST_TEXT).trim()) : '';
  return text === '' ? null : text;
}

/** A positive whole number, also as text; null for anything else: neither a machine nor a part of it has a size of 0. */
function numberIn(value: Json | undefined): number | null {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : null;
}

const objectsIn = (value: Json | undefined): readonly JsonObject[] | undefined =>
  Array.isArray(value) && value.length <= MOST_ITEMS ? value.filter(isJsonObject) : undefined;

const listIn = <T>(value: Json | undefined, items: (item: JsonObject) => readonly T[]): readonly T[] | null =>
  objectsIn(value)?.flatMap(items) ?? null;
