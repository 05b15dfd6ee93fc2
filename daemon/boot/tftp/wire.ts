// The packets of TFTP (RFC 1350) with options (RFC 2347): blksize (2348), timeout and tsize (2349), windowsize (7440).

/** The options of a request that have valid values; all others are ignored. */
export interface RequestOptions {
  readonly blockBytes?: number;
  readonly timeoutSeconds?: number;
  readonly windowBlocks?: number;
  readonly wantsSize?: true;
}

export interface ReadRequest {
  readonly kind: 'read';
  readonly name: string;
  /** `other`: mail, which RFC 1350 calls obsolete, and modes that no RFC knows. */
  readonly mode: 'octet' | 'netascii' | 'other';
  readonly options: RequestOptions;
}

export type Packet =
  | ReadRequest
  | { readonly kind: 'write'; readonly name: string }
  | { readonly kind: 'acknowledgement'; readonly block: number }
  | { readonly kind: 'error'; readonly code: number; readonly text: string };

export const errorCodes = { undefined: 0, notFound: 1, accessViolation: 2, illegalOperation: 4 } as const;

/** RFC 1350: the size of blocks when no other was agreed on. */
export const DEFAULT_BLOCK_BYTES = 512;
export const DATA_HEADER_BYTES = 4;

const [READ, WRITE, DATA, ACKNOWLEDGEMENT, ERROR, OPTION_ACKNOWLEDGEMENT] = [1, 2, 3, 4, 5, 6];
const SHORTEST_PACKET_BYTES = 4;
/** The limit in RFC 2347, "Packet Formats". */
const LONGEST_REQUEST_BYTES = 512;

/** Returns undefined for what a server cannot use: DATA, OACK, unknown operations and malformed packets. */
export function decode(datagram: Buffer): Packet | undefined {
  if (datagram.length < SHORTEST_PACKET_BYTES) return undefined;
  switch (datagram.readUInt16BE(0)) {
    case ACKNOWLEDGEMENT:
      return { kind: 'acknowledgement', block: datagram.readUInt16BE(2) };
    case READ:
      return decodeRead(datagram);
    case WRITE: {
      const name = requestTexts(datagram)[0];
      return name === undefined ? undefined : { kind: 'write', name };
    }
    case ERROR: {
      const text = datagram.toString('utf8', 4, Math.min(datagram.length, LONGEST_REQUEST_BYTES));
      return { kind: 'error', code: datagram.readUInt16BE(2), text: text.split('\0', 1)[0] ?? '' };
    }
    default:
      return undefined;
  }
}

function decodeRead(datagram: Buffer): ReadRequest | undefined {
  const [name, mode, ...options] = requestTexts(datagram);
  if (name === undefined || name === '' || mode === undefined) return undefined;
  return { kind: 'read', name, mode: knownMode(mode.toLowerCase()), options: decodeOptions(options) };
}

/** The texts that follow the operation and end with a NUL; none if the datagram is too long. */
function requestTexts(datagram: Buffer): readonly string[] {
  if (datagram.length > LONGEST_REQUEST_BYTES) return [];
  const end = datagram.lastIndexOf(0);
  return end < 2 ? [] : datagram.toString('utf8', 2, end).split('\0');
}

const knownMode = (mode: string): ReadRequest['mode'] =>
  mode === 'octet' || mode === 'netascii' ? mode : 'other';

/** RFC 2347: names may be in upper or lower case, and unknown or invalid options are ignored. Of equal names, the first counts. */
function decodeOptions(texts: readonly string[]): RequestOptions {
  const found = new Map<string, string>();
  for (let at = 0; at + 1 < texts.length; at += 2) {
    const name = (texts[at] ?? '').toLowerCase();
    if (!found.has(name)) found.set(name, texts[at + 1] ?? '');
  }
  const within = (name: string, smallest: number, largest: number) => {
    const value = decimal(found.get(name));
    return value !== undefined && value >= smallest && value <= largest ? value : undefined;
  };
  const blockBytes = within('blksize', 8, 65_464);
  const timeoutSeconds = within('timeout', 1, 255);
  const windowBlocks = within('windowsize', 1, 65_535);
  return {
    ...(blockBytes !== undefined && { blockBytes }),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(windowBlocks !== undefined && { windowBlocks }),
    ...(within('tsize', 0, 0) === 0 && { wantsSize: true as const }),
  };
}

const LONGEST_NUMBER = 10;

/** Digits only: neither sign, blank, fraction, exponent nor prefix. */
function decimal(text = ''): number | undefined {
  if (text === '' || text.length > LONGEST_NUMBER) return undefined;
  for (const digit of text) if (digit < '0' || digit > '9') return undefined;
  return Number(text);
}

export function encodeError(code: number, text: string): Buffer {
  const head = Buffer.from([0, ERROR, code >> 8, code & 255]);
  return Buffer.concat([head, Buffer.from(`${text}\0`)]);
}

export function encodeOptionAcknowledgement(options: ReadonlyMap<string, number>): Buffer {
  const texts = [...options].map(([name, value]) => `${name}\0${value}\0`);
  return Buffer.concat([Buffer.from([0, OPTION_ACKNOWLEDGEMENT]), Buffer.from(texts.join(''))]);
}

/** Block numbers have 16 bits and continue with 0 after 65,535. */
export function writeDataHeader(packet: Buffer, block: number): void {
  packet.writeUInt16BE(DATA, 0);
  packet.writeUInt16BE(block & 0xffff, 2);
}
