// DHCP messages as bytes (RFC 2131). Decoding checks every length that a message claims; encoding writes what firmware expects.
import { type DhcpOptions, optionCode, readOptions, writeOptions } from './options.ts';

/** A message in either direction. Addresses are numbers; 0 stands for none. */
export interface DhcpMessage {
  readonly op: 'request' | 'reply';
  readonly hardwareType: number;
  /** At most 16 bytes. */
  readonly hardwareAddress: Uint8Array;
  /** How many relays have passed the message on. */
  readonly hops: number;
  readonly transactionId: number;
  readonly flags: number;
  readonly clientAddress: number;
  readonly yourAddress: number;
  readonly nextServer: number;
  readonly relay: number;
  readonly file: string;
  readonly options: DhcpOptions;
}

export type Decoded =
  | { readonly kind: 'message'; readonly message: DhcpMessage }
  | { readonly kind: 'malformed'; readonly reason: string };

export const BROADCAST_FLAG = 0x8000;

/** Values of option 53. */
export const messageType = {
  discover: 1,
  offer: 2,
  request: 3,
  decline: 4,
  acknowledge: 5,
  refuse: 6,
  release: 7,
  inform: 8,
} as const;

const COOKIE = 0x63_82_53_63;
const [SERVER_NAME, FILE, COOKIE_AT, OPTIONS] = [44, 108, 236, 240];
const LONGEST_HARDWARE_ADDRESS = 16;
const MOST_HOPS = 16;
// RFC 1542 2.1: BOOTP relays may drop anything shorter
const SHORTEST_MESSAGE = 300;
const LONGEST_FILE = 127;

/** Never throws, whatever the bytes. */
export function decodeMessage(bytes: Uint8Array): Decoded {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fault = headerFault(view);
  if (fault !== undefined) return { kind: 'malformed', reason: fault };
  const options = allOptions(view);
  if (options === undefined) return { kind: 'malformed', reason: 'an option is longer than its message' };
  const overloaded = options.get(optionCode.overload)?.[0] ?? 0;
  const message: DhcpMessage = {
    op: view[0] === 1 ? 'request' : 'reply',
    hardwareType: view[1] ?? 0,
    hardwareAddress: view.subarray(28, 28 + (view[2] ?? 0)),
    hops: view[3] ?? 0,
    transactionId: view.readUInt32BE(4),
    flags: view.readUInt16BE(10),
    clientAddress: view.readUInt32BE(12),
    yourAddress: view.readUInt32BE(16),
    nextServer: view.readUInt32BE(20),
    relay: view.readUInt32BE(24),
    file: (overloaded & 1) === 1 ? '' : textUpToNul(view.subarray(FILE, COOKIE_AT)),
    options,
  };
  return { kind: 'message', message };
}

function headerFault(view: Buffer): string | undefined {
  if (view.length < OPTIONS) return `it has ${view.length} bytes; a DHCP message has at least ${OPTIONS}`;
  if (view[0] !== 1 && view[0] !== 2) return `its operation is ${view[0]}, neither request (1) nor reply (2)`;
  if ((view[2] ?? 0) > LONGEST_HARDWARE_ADDRESS)
    return `its hardware address has ${view[2]} bytes; there is room for ${LONGEST_HARDWARE_ADDRESS}`;
  if ((view[3] ?? 0) > MOST_HOPS) return `it passed ${view[3]} relays; at most ${MOST_HOPS} are allowed`;
  if (view.readUInt32BE(COOKIE_AT) !== COOKIE) return 'it has no DHCP magic cookie';
  return undefined;
}

/** Reads all options: option 52 says whether the fields `file` (1), `sname` (2) or both (3) hold more of them. */
function allOptions(view: Buffer): DhcpOptions | undefined {
  const main = view.subarray(OPTIONS);
  const options = readOptions([main]);
  const overload = options?.get(optionCode.overload);
  if (overload?.length !== 1) return options;
  const uses = overload[0] ?? 0;
  return readOptions([
    main,
    ...((uses & 1) === 1 ? [view.subarray(FILE, COOKIE_AT)] : []),
    ...((uses & 2) === 2 ? [view.subarray(SERVER_NAME, FILE)] : []),
  ]);
}

function textUpToNul(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('latin1', 0, end === -1 ? bytes.length : end);
}

/** A `file` too long for its header field is left out of the header; option 67 carries it. */
export function encodeMessage(message: DhcpMessage): Uint8Array {
  const options = writeOptions(inWireOrder(message.options));
  const bytes = Buffer.alloc(Math.max(SHORTEST_MESSAGE, OPTIONS + options.length));
  bytes[0] = message.op === 'request' ? 1 : 2;
  bytes[1] = message.hardwareType;
  bytes[2] = message.hardwareAddress.length;
  bytes[3] = message.hops;
  bytes.writeUInt32BE(message.transactionId, 4);
  bytes.writeUInt16BE(message.flags, 10);
  bytes.writeUInt32BE(message.clientAddress, 12);
  bytes.writeUInt32BE(message.yourAddress, 16);
  bytes.writeUInt32BE(message.nextServer, 20);
  bytes.writeUInt32BE(message.relay, 24);
  bytes.set(message.hardwareAddress, 28);
  if (message.file.length <= LONGEST_FILE) bytes.write(message.file, FILE, 'latin1');
  bytes.writeUInt32BE(COOKIE, COOKIE_AT);
  bytes.set(options, OPTIONS);
  return bytes;
}

/** The message type comes first, because some firmware looks for it nowhere else; the relay's option comes last (RFC 3046 2.2). */
const inWireOrder = (options: DhcpOptions): DhcpOptions =>
  new Map([...options].toSorted(([a], [b]) => rank(a) - rank(b)));

function rank(code: number): number {
  if (code === optionCode.messageType) return -1;
  return code === optionCode.relayAgent ? 256 : code;
}
