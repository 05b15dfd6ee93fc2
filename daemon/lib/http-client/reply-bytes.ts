// The body of a reply while it is received. However small its pieces, it takes at most twice the memory of its bytes.

export class ReplyBytes {
  readonly #limit: number;
  #room = Buffer.alloc(0);
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Throws when a body of this length would be too large. */
  expect(length: number): void {
    if (length > this.#limit) throw new Error(`its reply is larger than ${sizeText(this.#limit)}`);
  }

  /** Throws when the body becomes too large. */
  add(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    this.expect(length);
    if (length > this.#room.length) this.#grow(length);
    this.#room.set(piece, this.#length);
    this.#length = length;
  }

  get bytes(): Buffer {
    return this.#room.subarray(0, this.#length);
  }

  #grow(length: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(length, Math.min(2 * this.#room.length, this.#limit)));
    larger.set(this.bytes);
    this.#room = larger;
  }
}

const MEBIBYTE = 1_048_576;
const sizeText = (bytes: number) => (bytes % MEBIBYTE === 0 ? `${bytes / MEBIBYTE} MiB` : `${bytes} bytes`);
