// The DATA packets of a transfer: at most two chunks of them are in memory, and a chunk is refilled when the client has
// acknowledged all of it. Header and block of a packet are adjacent in memory, so that sending the packet copies
// nothing.
import type { TftpContent } from './content.ts';
import { DATA_HEADER_BYTES, writeDataHeader } from './wire.ts';
import { tftpLimits } from '../limits.ts';

interface Chunk {
  readonly packets: readonly Buffer[];
  /** The packets without their headers. */
  readonly blocks: readonly Buffer[];
}

export class ReadAhead {
  readonly #content: TftpContent;
  readonly #blockBytes: number;
  readonly #blocksOfChunk: number;
  readonly #filled: (error?: unknown) => void;
  /** Chunk n is at index n % 2. */
  readonly #chunks: Chunk[] = [];
  #chunksRead = 0;
  #isReading = false;
  #last: { readonly block: number; readonly packet: Buffer } | undefined;

  /** `filled` is called when more packets are ready, and with the error when the content cannot be read. */
  constructor(content: TftpContent, blockBytes: number, filled: (error?: unknown) => void) {
    this.#content = content;
    this.#blockBytes = blockBytes;
    this.#filled = filled;
    const most = Math.min(tftpLimits.blocksReadAhead, Math.floor(tftpLimits.windowBytes / blockBytes));
    const blocks = Math.floor((content.sizeBytes ?? Infinity) / blockBytes) + 1;
    this.#blocksOfChunk = Math.min(most, blocks);
  }

  /** The number of the last block, which is shorter than the others or empty; undefined until that block has been read. */
  get lastBlock(): number | undefined {
    return this.#last?.block;
  }

  /** The size of all blocks together; 0 until the last block has been read. */
  get sizeBytes(): number {
    if (this.#last === undefined) return 0;
    const { block, packet } = this.#last;
    return (block - 1) * this.#blockBytes + packet.length - DATA_HEADER_BYTES;
  }

  /** The packet of a block; undefined while it has not been read. */
  packet(block: number): Buffer | undefined {
    if (block === this.#last?.block) return this.#last.packet;
    const chunk = Math.floor((block - 1) / this.#blocksOfChunk);
    if (chunk >= this.#chunksRead) return undefined;
    return this.#chunks[chunk & 1]?.packets[block - 1 - chunk * this.#blocksOfChunk];
  }

  /**
   * Reads the next chunk if the client has acknowledged every block before the newest chunk. `acknowledged`: the last block that
   * the client has acknowledged.
   */
  advance(acknowledged: number): void {
    const end = (this.#chunksRead - 1) * this.#blocksOfChunk;
    if (this.#isReading || this.#last !== undefined || acknowledged < end) return;
    this.#isReading = true;
    void this.#readChunk();
  }

  async #readChunk(): Promise<void> {
    const { packets, blocks } = (this.#chunks[this.#chunksRead & 1] ??= this.#emptyChunk());
    let bytes: number;
    try {
      bytes = await this.#content.read(blocks);
    } catch (error) {
      return this.#filled(error);
    }
    const before = this.#chunksRead * this.#blocksOfChunk;
    for (const [index, packet] of packets.entries()) writeDataHeader(packet, before + index + 1);
    const whole = Math.floor(bytes / this.#blockBytes);
    const rest = packets[whole]?.subarray(0, DATA_HEADER_BYTES + bytes - whole * this.#blockBytes);
    if (rest !== undefined) this.#last = { block: before + whole + 1, packet: rest };
    this.#chunksRead += 1;
    this.#isReading = false;
    this.#filled();
  }

  #emptyChunk(): Chunk {
    const packetBytes = DATA_HEADER_BYTES + this.#blockBytes;
    const memory = Buffer.allocUnsafeSlow(packetBytes * this.#blocksOfChunk);
    const packets = Array.from({ length: this.#blocksOfChunk }, (_, index) =>
      memory.subarray(index * packetBytes, (index + 1) * packetBytes),
    );
    return { packets, blocks: packets.map((packet) => packet.subarray(DATA_HEADER_BYTES)) };
  }
}
