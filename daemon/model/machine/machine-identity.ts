// Which machine this is: what firmware, BMCs and labels say of it, and when two of them mean the same.
import { parseUuid } from '../../lib/uuid.ts';

export interface MachineIdentity {
  readonly serialNumbers: readonly string[];
  readonly uuids: readonly string[];
  /** MAC addresses of the machine's network cards. */
  readonly macs: readonly string[];
  /** Maker and model; null: unknown. */
  readonly product: string | null;
}

/** What firmware says where nobody has set a serial number, in lower case. */
const PLACEHOLDERS: ReadonlySet<string> = new Set([
  'default string',
  'none',
  'not specified',
  'not available',
  'n/a',
  'na',
  'null',
  'unknown',
  'empty',
  'system serial number',
  'chassis serial number',
  'to be filled by o.e.m.',
  'to be filled by oem',
  'o.e.m.',
  'oem',
  '0123456789',
  '1234567890',
  '123456789',
]);

/** Returns the serial number trimmed and in upper case, for comparing; undefined when the text is none. */
export function serialNumberIn(text: string): string | undefined {
  const trimmed = text.trim();
  const isNone = trimmed === '' || PLACEHOLDERS.has(trimmed.toLowerCase()) || /^[0x.\- ]*$/i.test(trimmed);
  return isNone ? undefined : trimmed.toUpperCase();
}

export function isSameSerialNumber(one: string, other: string): boolean {
  const serial = serialNumberIn(one);
  return serial !== undefined && serial === serialNumberIn(other);
}

/**
 * Whether the UUIDs are the same, in any order of octets that firmware and BMCs use: SMBIOS 2.6 has changed that of the first three
 * fields, IPMI has the last octet first, and programs guess which one they read.
 */
export function isSameMachineUuid(one: string, other: string): boolean {
  const [first, second] = [machineUuidIn(one), machineUuidIn(other)];
  return first !== undefined && second !== undefined && ordersOf(second).includes(first);
}

function ordersOf(uuid: string): readonly string[] {
  const bySmbios = swapped(uuid);
  const byIpmi = [uuid, bySmbios].map(reversed);
  return [uuid, bySmbios, ...byIpmi, ...byIpmi.map(swapped)];
}

/** Returns the canonical form of a UUID that can identify a machine; undefined also when it is all zeros or all ones. */
export function machineUuidIn(text: string): string | undefined {
  const uuid = parseUuid(text.trim());
  return uuid === undefined || /^(?:[0-]*|[f-]*)$/.test(uuid) ? undefined : uuid;
}

const swapped = (uuid: string): string =>
  uuid
    .split('-')
    .map((field, index) => (index < 3 ? octetsReversed(field) : field))
    .join('-');

const reversed = (uuid: string): string =>
  octetsReversed(uuid.replaceAll('-', '')).replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

const octetsReversed = (text: string): string => (text.match(/../g) ?? []).toReversed().join('');
