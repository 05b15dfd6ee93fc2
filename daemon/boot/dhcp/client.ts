// What a DHCP message says of the machine that sent it: which program asks, on which processor.
import { type DhcpOptions, optionCode, textOf } from './options.ts';
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

const ETHERNET = 1;

export function describeClient(message: DhcpMessage): Described {
  const mac = macOf(message);
  if (mac === undefined) {
    const reason = `hardware type ${message.hardwareType} with an address of ${message.hardwareAddress.length} bytes is not Ethernet`;
    return { kind: 'unsupported', mac, reason };
  }
  return describeProgram(mac, message.options);
}

function describeProgram(mac: string, options: DhcpOptions): Described {
  const vendorClass = textOf(options, optionCode.vendorClass) ?? '';
  const isFirmware = vendorClass.startsWith('PXEClient') || vendorClass.startsWith('HTTPClient');
  const types = architectureTypes(options, vendorClass);
  const firmware = types.map((type) => FIRMWARE[type]).find((known) => known !== undefined);
  const isIpxe = isFromIpxe(options);
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
  return Buffer.from(hardwareAddress).toString('hex').match(/../g)?.join(':');
}

/** iPXE sends an option of its own, or its name as the user class, with or without the length byte of RFC 3004. */
function isFromIpxe(options: DhcpOptions): boolean {
  if (options.has(optionCode.ipxe)) return true;
  const userClass = textOf(options, optionCode.userClass);
  return userClass === 'iPXE' || userClass?.startsWith('\u0004iPXE') === true;
}

/** Option 93, or else the number in `PXEClient:Arch:00007:UNDI:003016`. */
function architectureTypes(options: DhcpOptions, vendorClass: string): readonly number[] {
  const value = options.get(optionCode.architecture);
  if (value !== undefined && value.length >= 2) {
    const view = Buffer.from(value);
    return Array.from({ length: view.length >> 1 }, (_, index) => view.readUInt16BE(index * 2));
  }
  const [, word, number = ''] = vendorClass.split(':', 3);
  return word === 'Arch' && /^\d{5}$/.test(number) ? [Number(number)] : [];
}
