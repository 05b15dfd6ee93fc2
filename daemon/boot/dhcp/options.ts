// DHCP options: their codes, the bytes they are carried in (RFC 2132, RFC 3396), and their values.

export type DhcpOptions = ReadonlyMap<number, Uint8Array>;

export const optionCode = {
  subnetMask: 1,
  router: 3,
  dns: 6,
  hostName: 12,
  domain: 15,
  broadcast: 28,
  ntp: 42,
  vendorSpecific: 43,
  requestedAddress: 50,
  leaseTime: 51,
  overload: 52,
  messageType: 53,
  serverId: 54,
  parameterList: 55,
  message: 56,
  largestMessage: 57,
  renewalTime: 58,
  rebindingTime: 59,
  vendorClass: 60,
  clientId: 61,
  tftpServer: 66,
  bootFile: 67,
  userClass: 77,
  relayAgent: 82,
  architecture: 93,
  networkInterface: 94,
  machineId: 97,
  subnetSelection: 118,
  tftpAddress: 150,
  ipxe: 175,
} as const;

const PAD = 0;
const END = 255;
const LONGEST_PART = 255;

/**
 * Reads areas of options one after another. An option that occurs again continues its earlier value (RFC 3396). Returns undefined
 * when an option is longer than the rest of its area. Takes time proportional to the number of bytes.
 */
export function readOptions(areas: readonly Uint8Array[]): DhcpOptions | undefined {
  const parts = new Map<number, Uint8Array[]>();
  for (const area of areas) if (!collectParts(area, parts)) return undefined;
  return new Map([...parts].map(([code, values]) => [code, joined(values)]));
}

function collectParts(area: Uint8Array, parts: Map<number, Uint8Array[]>): boolean {
  let at = 0;
  while (at < area.length) {
    const code = area[at] ?? END;
    at += 1;
    if (code === END) return true;
    if (code === PAD) continue;
    const length = area[at];
    if (length === undefined || at + 1 + length > area.length) return false;
    const value = area.subarray(at + 1, at + 1 + length);
    const earlier = parts.get(code);
    if (earlier === undefined) parts.set(code, [value]);
    else earlier.push(value);
    at += 1 + length;
  }
  return true;
}

const joined = ([first, ...others]: readonly Uint8Array[]): Uint8Array =>
  others.length === 0 && first !== undefined ? first : Buffer.concat([first ?? new Uint8Array(), ...others]);

/** The texts that old firmware reads up to a NUL byte, not up to their length. */
const READ_UP_TO_NUL: ReadonlySet<number> = new Set([optionCode.tftpServer, optionCode.bootFile]);

/**
 * The bytes of the options in the order given, with END. Values of more than 255 bytes are split. A PAD, which is a NUL byte,
 * follows the texts that are read up to a NUL.
 */
export function writeOptions(options: DhcpOptions): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (const [code, value] of options) {
    for (let at = 0; at === 0 || at < value.length; at += LONGEST_PART) {
      const part = value.subarray(at, at + LONGEST_PART);
      pieces.push(Uint8Array.of(code, part.length), part);
    }
    if (READ_UP_TO_NUL.has(code)) pieces.push(Uint8Array.of(PAD));
  }
  return Buffer.concat([...pieces, Uint8Array.of(END)]);
}

export const textValue = (text: string): Uint8Array => Buffer.from(text, 'utf8');

export const addressesValue = (addresses: readonly number[]): Uint8Array =>
  Buffer.concat(addresses.map(uint32Value));

export function uint32Value(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** The text of an option up to its first NUL byte, which some clients append. */
export function textOption(options: DhcpOptions, code: number): string | undefined {
  const value = options.get(code);
  return value && Buffer.from(value).toString('latin1').split('\0', 1)[0];
}

/** The address in an option; undefined unless it has exactly four bytes. */
export function addressOption(options: DhcpOptions, code: number): number | undefined {
  const value = options.get(code);
  return value?.length === 4 ? Buffer.from(value).readUInt32BE() : undefined;
}
