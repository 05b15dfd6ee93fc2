// The frames that cross the border between the daemon and a plugin's process: JSON, and bytes that belong to it.

export interface Frame {
  readonly json: string;
  readonly bytes: Uint8Array | undefined;
}

/** The largest frame in either direction: several times the largest inspection report. */
const LARGEST_FRAME_BYTES = 67_108_864;
/** The largest JSON in a frame from a plugin. It is limited because the daemon's main thread parses it in one piece. */
const LARGEST_JSON_OF_PLUGIN_BYTES = 4_194_304;

export type Sender = 'daemon' | 'plugin';

const largestJson: Readonly<Record<Sender, number>> = {
  daemon: LARGEST_FRAME_BYTES,
  plugin: LARGEST_JSON_OF_PLUGIN_BYTES,
};
/** The header: the length of the JSON, then the length of the bytes plus one, or 0 if the frame has no bytes. */
const HEADER_BYTES = 8;

/** Throws a RangeError for a frame that the other side would refuse. */
export function frameOf(sender: Sender, { json, bytes }: Frame): Buffer {
  const length = Buffer.byteLength(json);
  if (length > largestJson[sender])
    throw new RangeError(`${length} bytes of JSON are too many to hand over; at most ${largestJson[sender]}`);
  const total = HEADER_BYTES + length + (bytes?.length ?? 0);
  if (total > LARGEST_FRAME_BYTES)
    throw new RangeError(`${total} bytes are too many to hand over; at most ${LARGEST_FRAME_BYTES}`);
  const frame = Buffer.allocUnsafe(total);
  frame.writeUInt32LE(length, 0);
  frame.writeUInt32LE(bytes === undefined ? 0 : bytes.length + 1, 4);
  frame.write(json, HEADER_BYTES);
  if (bytes !== undefined) frame.set(bytes, HEADER_BYTES + length);
  return frame;
}

/** Puts frames together from the chunks of a stream. */
export class FrameReader {
  readonly #sender: Sender;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  /** Returns the next whole frame; undefined when more chunks are needed. Throws a RangeError for a frame that is too large. */
  next(): Frame | undefined {
    const header = this.#size < HEADER_BYTES ? undefined : this.#first(HEADER_BYTES);
    if (header === undefined) return undefined;
    const length = header.readUInt32LE(0);
    const extent = header.readUInt32LE(4);
    const end = HEADER_BYTES + length + Math.max(0, extent - 1);
    if (end > LARGEST_FRAME_BYTES || length > largestJson[this.#sender])
      throw new RangeError(`it sent a message of ${end} bytes, which is too large`);
    if (this.#size < end) return undefined;
    const whole = this.#first(end);
    this.#chunks = [whole.subarray(end)];
    this.#size -= end;
    const json = whole.toString('utf8', HEADER_BYTES, HEADER_BYTES + length);
    return { json, bytes: extent === 0 ? undefined : whole.subarray(HEADER_BYTES + length, end) };
  }

  /** Makes the first chunk at least `length` long, and returns it. */
  #first(length: number): Buffer {
    const [first = Buffer.alloc(0)] = this.#chunks;
    if (first.length >= length) return first;
    const whole = Buffer.concat(this.#chunks);
    this.#chunks = [whole];
    return whole;
  }
}
