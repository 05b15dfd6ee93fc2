// Reads a stream of chunks piece by piece.

export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #held: Buffer = Buffer.alloc(0);
  /** The number of bytes taken or skipped so far. */
  position = 0;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The next `count` bytes; fewer at the end of the stream. */
  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = count; missing > 0 && (await this.#fill());) {
      const part = this.#held.subarray(0, missing);
      this.#held = this.#held.subarray(part.length);
      missing -= part.length;
      parts.push(part);
    }
    const taken = Buffer.concat(parts);
    this.position += taken.length;
    return taken;
  }

  async skip(count: number): Promise<void> {
    for (let left = count; left > 0 && (await this.#fill());) {
      const skipped = Math.min(left, this.#held.length);
      this.#held = this.#held.subarray(skipped);
      this.position += skipped;
      left -= skipped;
    }
  }

  /** Ends the stream. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #fill(): Promise<boolean> {
    while (this.#held.length === 0) {
      const { value, done } = await this.#chunks.next();
      if (done === true) return false;
      this.#held = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    return true;
  }
}
