// What a DHCP message says of the machine that sent it: which program asks, on which processor.
import { type DhcpOptions, optionCode, textOption } from './options.ts';
import type { DhcpMessage } from './wire.ts';

/** The program that asks. `os`: any other DHCP client, such as that of a ramdisk or an installed system. */
export type BootStage = 'bios' | 'uefi-pxe' | 'uefi-http' | 'ipxe' | 'os';
export type Architecture = 'x86_64' | 'aarch64';

export interface Client {
  readonly mac: string;
  readonly stage: BootStage;
  /** Like `architecture`, undefined when the client sends no known architecture type. */
  readonly firmware: 'bios' | 'uefi' | undefined;
  readonly architecture: Architecture | undefined;
}

export type Described =
  | { readonly kind: 'client'; readonly client: Client }
  | { readonly kind: 'unsupported'; readonly mac: string | undefined; readonly reason: string };

type FirmwareStage = Exclude<BootStage, 'ipxe' | 'os'>;
interface Firmware {
  readonly stage: FirmwareStage;
  readonly architecture: Architecture;
}

// IANA "Processor Architecture Types" for which there are boot loaders. Some 64-bit PCs send 9 and 17 (EBC).
const FIRMWARE: Readonly<Record<number, Firmware>> = {
  0: { stage: 'bios', architecture: 'x86_64' },
  7: { stage: 'uefi-pxe', architecture: 'x86_64' },
  9: { stage: 'uefi-pxe', architecture: 'x86_64' },
  11: { stage: 'uefi-pxe', architecture: 'aarch64' },
  16: { stage: 'uefi-http', architecture: 'x86_64' },
  17: { stage: 'uefi-http', architecture: 'x86_64' },
  19: { stage: 'uefi-http', architecture: 'aarch64' },
};

interface ClientIds {
  /** The MAC address of the port with this client identifier: bytes such as `ff:00:00:01`, in lower case. */
  macOfClientId(clientId: string): string | undefined;
}

const ETHERNET = 1;
const INFINIBAND = 32;

export function describeClient(message: DhcpMessage, machines: ClientIds): Described {
  const { hardwareType, hardwareAddress, options } = message;
  const mac = hardwareType === INFINIBAND ? macOnInfiniband(options, machines) : macOf(message);
  if (mac !== undefined) return describeProgram(mac, programIn(options));
  const reason = `hardware type ${hardwareType} with an address of ${hardwareAddress.length} bytes is neither Ethernet nor InfiniBand with a client identifier`;
  return { kind: 'unsupported', mac, reason };
}

/**
 * Messages of an InfiniBand card have no hardware address, but a client identifier (RFC 4390): type 255, four bytes for the
 * interface, and what ends in the eight bytes of the card's GUID; or type 32 and the card's address of 20 bytes, which also ends in
 * the GUID. A card that no port names by its identifier has the MAC address that agents report for it: the GUID without its middle
 * bytes.
 */
function macOnInfiniband(options: DhcpOptions, machines: ClientIds): string | undefined {
  const identifier = Buffer.from(options.get(optionCode.clientId) ?? []);
  const known = machines.macOfClientId(colonHex(identifier));
  if (known !== undefined) return known;
  if (!endsInGuid(identifier)) return undefined;
  return colonHex(Buffer.concat([identifier.subarray(-8, -5), identifier.subarray(-3)]));
}

const endsInGuid = ({ 0: type, length }: Buffer): boolean =>
  (type === 255 && length >= 15) || (type === INFINIBAND && length === 21);

export const colonHex = (bytes: Uint8Array): string =>
  Buffer.from(bytes).toString('hex').match(/../g)?.join(':') ?? '';

/** What a client says of its program. */
export interface SaidProgram {
  /** `PXEClient:Arch:00007:UNDI:003016`, or a text of the program's own; empty if it sends none. */
  readonly vendorClass: string;
  /** Its architecture types, as IANA numbers them. */
  readonly types: readonly number[];
  readonly isIpxe: boolean;
}

function programIn(options: DhcpOptions): SaidProgram {
  const vendorClass = textOption(options, optionCode.vendorClass) ?? '';
  const value = options.get(optionCode.architecture);
  return { vendorClass, types: architectureTypes(value, vendorClass), isIpxe: isFromIpxe(options) };
}

export function describeProgram(mac: string, { vendorClass, types, isIpxe }: SaidProgram): Described {
  const isFirmware = vendorClass.startsWith('PXEClient') || vendorClass.startsWith('HTTPClient');
  const firmware = types.map((type) => FIRMWARE[type]).find((known) => known !== undefined);
  if (isFirmware && types.length > 0 && firmware === undefined)
    return { kind: 'unsupported', mac, reason: unsupported(types) };
  // iPXE is tested first, because it sends the same vendor class and architecture as the firmware that loaded it
  const stage = isIpxe ? 'ipxe' : isFirmware ? (firmware?.stage ?? 'bios') : 'os';
  return { kind: 'client', client: { mac, stage, ...platformOf(firmware) } };
}

const platformOf = (firmware: Firmware | undefined) => ({
  firmware: firmware && (firmware.stage === 'bios' ? ('bios' as const) : ('uefi' as const)),
  architecture: firmware?.architecture,
});

const unsupported = (types: readonly number[]) =>
  `there is no boot loader for firmware of architecture type ${types.slice(0, 4).join(', ')} (DHCP option 93)`;

/** The canonical MAC address; undefined for a network other than Ethernet. */
export function macOf({ hardwareType, hardwareAddress }: DhcpMessage): string | undefined {
  if (hardwareType !== ETHERNET || hardwareAddress.length !== 6) return undefined;
  return colonHex(hardwareAddress);
}

/** iPXE sends an option of its own, or its name as the user class, with or without the length byte of RFC 3004. */
function isFromIpxe(options: DhcpOptions): boolean {
  if (options.has(optionCode.ipxe)) return true;
  const userClass = textOption(options, optionCode.userClass);
  return userClass === 'iPXE' || userClass?.startsWith('\u0004iPXE') === true;
}

/** The types in the option of architectures (93, in DHCPv6 61), or else the number in `PXEClient:Arch:00007:UNDI:003016`. */
export function architectureTypes(value: Uint8Array | undefined, vendorClass: string): readonly number[] {
  if (value !== undefined && value.length >= 2) {
    const view = Buffer.from(value);
    return Array.from({ length: view.length >> 1 }, (_, index) => view.readUInt16BE(index * 2));
  }
  const [, word, number = ''] = vendorClass.split(':', 3);
  return word === 'Arch' && /^\d{5}$/.test(number) ? [Number(number)] : [];
}
