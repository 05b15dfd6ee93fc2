// Sends mutated TFTP packets to the daemon's TFTP server and to the ports of its transfers, and checks that the server goes on
// serving.
// npm run fuzz:tftp [COUNT [SEED]]; the tests send a few thousand.
import assert from 'node:assert/strict';
import process from 'node:process';
import { decode } from '../../daemon/boot/tftp/wire.ts';
import {
  acknowledgement,
  errorPacket,
  readByTftp,
  readRequest,
  TftpPeer,
  writeRequest,
} from '../fakes/boot/tftp-peer.ts';
import { startTftp } from '../fakes/boot/tftp-server.ts';
import { fakeClock } from '../fakes/clock.ts';
import { createRandom, type Random } from './inputs/random.ts';

const OPTIONS = ['blksize', 'BLKSIZE', 'windowsize', 'timeout', 'tsize', 'rollover', '', '__proto__'];
const VALUES = [0, 1, 7, 8, 512, 1468, 65_464, 65_465, 65_536, -1, '1e3', '0x10', '', ' 8', '9'.repeat(40)];
const NAMES = ['file', '/file', 'pxelinux.0', '../file', '', '__proto__', '\u0007', 'x'.repeat(600)];

function packet(random: Random): Buffer {
  const options = Array.from({ length: random.below(5) }, () => [
    random.of(OPTIONS),
    random.of(VALUES),
  ]).flat();
  return random.of([
    () => readRequest(random.of(NAMES), options, random.of(['octet', 'netascii', 'mail', 'OCTET', ''])),
    () => readRequest('file', options),
    () => writeRequest(random.of(NAMES)),
    () => acknowledgement(random.of([0, 1, 2, 3, 65_535, random.below(65_536)])),
    () => errorPacket(random.below(10), random.of(NAMES)),
    () => Buffer.from(Array.from({ length: random.below(60) }, () => random.below(256))),
  ])();
}

/** A random packet. In three of four packets, octets are changed, cut out, repeated or put in. */
function mutated(random: Random): Buffer {
  const bytes = packet(random);
  if (bytes.length === 0 || random.once(4)) return bytes;
  const at = random.below(bytes.length);
  return random.of([
    () => bytes.subarray(0, at),
    () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(random.below(bytes.length))]),
    () => Buffer.concat([bytes.subarray(0, at), Buffer.alloc(random.below(8)), bytes.subarray(at)]),
    () => {
      const changed = Buffer.from(bytes);
      for (let left = 1 + random.below(6); left > 0; left -= 1)
        changed[random.below(changed.length)] = random.below(256);
      return changed;
    },
  ])();
}

export interface Tally {
  readonly understood: number;
  readonly ignored: number;
}

/** Counts the packets that can be decoded and the others. Now and then a file is read, and at the end no transfer is left over. */
export async function fuzzTftp(count: number, seed: number): Promise<Tally> {
  const random = createRandom(seed);
  const clock = fakeClock();
  const content = Buffer.from(Array.from({ length: 20_000 }, () => random.below(256)));
  using tftp = await startTftp({ files: { file: { kind: 'bytes', bytes: content } }, clock });
  const tally = { understood: 0, ignored: 0 };
  for (let sent = 0; sent < count;) {
    using peer = await TftpPeer.open(tftp.address);
    // some packets go to the port of a transfer, which takes them from this peer only
    const { from } = await peer.ask(readRequest('file', ['windowsize', 1 + random.below(8)]));
    for (let left = 100; left > 0; left -= 1, sent += 1) {
      const bytes = mutated(random);
      tally[decode(bytes) === undefined ? 'ignored' : 'understood'] += 1;
      peer.send(bytes, random.once(2) ? from : undefined);
      if (left % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    if (random.once(10)) await clock.advance(random.below(20_000));
    if (random.once(20))
      assert.ok((await readByTftp(tftp.address, 'file', ['blksize', 1024])).equals(content), `seed ${seed}`);
    await tftp.settled();
  }
  await clock.advance(3_600_000);
  await tftp.settled();
  assert.equal(clock.pending, 0, `transfers are left over; seed ${seed}`);
  return tally;
}

async function main([count = '1000000', seed = String(Date.now() % 2 ** 31)]: readonly string[]) {
  console.log(`seed ${seed}`);
  console.log(await fuzzTftp(Number(count), Number(seed)));
}

if (import.meta.main) await main(process.argv.slice(2));
