// Messages of machines with changes that no machine makes.
import type { Random } from './random.ts';

interface Packets {
  readonly packet: (random: Random) => Buffer;
  /** Where to change a packet of the length. */
  readonly place: (random: Random, length: number) => number;
  /** Bytes that mean something to the server; any others are written too. */
  readonly telling: readonly number[];
}

/** Returns a packet with up to three changes: bytes overwritten or inserted, the end replaced by that of another packet, or cut off. */
export function changedPacket(random: Random, { packet, place, telling }: Packets): Buffer {
  let bytes = packet(random);
  for (let changes = random.below(4); changes > 0; changes -= 1) {
    const at = place(random, bytes.length);
    const some = Buffer.from(
      Array.from({ length: random.below(9) }, () => random.of([...telling, random.below(256)])),
    );
    const kind = random.below(4);
    if (kind === 0) some.copy(bytes, Math.min(at, Math.max(0, bytes.length - some.length)));
    else if (kind === 1) bytes = Buffer.concat([bytes.subarray(0, at), some, bytes.subarray(at)]);
    else if (kind === 2) bytes = Buffer.concat([bytes.subarray(0, at), packet(random).subarray(at)]);
    else bytes = bytes.subarray(0, at);
  }
  return bytes;
}
