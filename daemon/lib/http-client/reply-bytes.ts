// Collects the body of a reply. A body that arrives in tiny pieces takes little more memory than one that arrives in large pieces.

/**
 * When this many pieces in a row have less than `SMALL_BYTES` together, they are joined, because each piece takes 130 bytes in
 * addition to its content.
 */
const RUN = 256;
const SMALL_BYTES = 262_144;

export class ReplyBytes {
  readonly #limit: number;
  readonly #joined: Uint8Array[] = [];
  #recent: Uint8Array[] = [];
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Throws when a body of this length would be too large. */
  expect(length: number): void {
    if (length > this.#limit) throw new Error(`its reply is larger than ${sizeText(this.#limit)}`);
  }

  /** Counts a piece without keeping it, because a sink takes it. Throws when the body becomes too large. */
  count({ length }: Uint8Array): void {
    this.#length += length;
    this.expect(this.#length);
  }

  /** Keeps a piece. Throws when the body becomes too large. */
  add(piece: Uint8Array): void {
    this.count(piece);
    this.#recent.push(piece);
    if (this.#recent.length === RUN) this.#join();
  }

  /** How many bytes were counted so far. */
  get length(): number {
    return this.#length;
  }

  get bytes(): Buffer {
    return Buffer.concat([...this.#joined, ...this.#recent]);
  }

  #join(): void {
    const size = this.#recent.reduce((sum, { length }) => sum + length, 0);
    this.#joined.push(...(size < SMALL_BYTES ? [Buffer.concat(this.#recent)] : this.#recent));
    this.#recent = [];
  }
}

const MEBIBYTE = 1_048_576;
const sizeText = (bytes: number) => (bytes % MEBIBYTE === 0 ? `${bytes / MEBIBYTE} MiB` : `${bytes} bytes`);
