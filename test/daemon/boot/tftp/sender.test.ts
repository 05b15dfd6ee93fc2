// What the server sends again to a client that does not answer, and when it gives the client up.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeClock } from '../../../fakes/clock.ts';
import { acknowledgement, described, errorPacket, readRequest } from '../../../fakes/boot/tftp-peer.ts';
import { askedBy, startTftp } from '../../../fakes/boot/tftp-server.ts';

const files = {
  'snponly.efi': { kind: 'bytes', bytes: Buffer.alloc(173_792, 'efi') },
  empty: { kind: 'bytes', bytes: Buffer.alloc(0) },
} as const;

test('a client that asks for a timeout of 255 seconds and never answers gets five packets', async () => {
  const clock = fakeClock();
  using tftp = await startTftp({ files, clock });
  using asked = await askedBy(
    tftp.address,
    readRequest('snponly.efi', ['windowsize', 64, 'timeout', 255, 'blksize', 1468]),
  );
  await clock.advance(60_000);
  await tftp.settled();
  assert.deepEqual(asked.peer.waiting, Array(4).fill(described(asked.first.bytes)));
  assert.deepEqual(tftp.texts, ['did not get all of snponly.efi: no answer after 5 tries']);
  assert.equal(clock.pending, 0);
});

test('a client that asks without options and never answers gets at most 2,580 bytes', async () => {
  const clock = fakeClock();
  using tftp = await startTftp({ files, clock });
  using asked = await askedBy(tftp.address, readRequest('snponly.efi'));
  await clock.advance(60_000);
  await tftp.settled();
  assert.deepEqual(asked.peer.waiting, Array(4).fill('data 1 (512)'));
});

test('a block that is not acknowledged is sent again after a quarter of a second, then more and more rarely', async () => {
  const clock = fakeClock();
  using tftp = await startTftp({ files, clock });
  using asked = await askedBy(tftp.address, readRequest('snponly.efi'));
  asked.peer.send(acknowledgement(1), asked.first.from);
  await asked.peer.next();
  const sentAfter: number[] = [];
  for (let milliseconds = 0; clock.pending > 0; milliseconds += 250) {
    await clock.advance(250);
    await tftp.settled();
    for (; asked.peer.waiting.length > 0; await asked.peer.next()) sentAfter.push(milliseconds + 250);
  }
  assert.deepEqual(sentAfter, [250, 750, 1750, 3750, 7750, 15_750, 31_750]);
  assert.deepEqual(tftp.texts, ['did not get all of snponly.efi: no answer after 8 tries']);
});

test('the timeout that a client asks for is used', async () => {
  const clock = fakeClock();
  using tftp = await startTftp({ files, clock });
  using asked = await askedBy(tftp.address, readRequest('snponly.efi', ['timeout', 3]));
  asked.peer.send(acknowledgement(0), asked.first.from);
  await asked.peer.next();
  await clock.advance(2900);
  await tftp.settled();
  assert.deepEqual(asked.peer.waiting, []);
  await clock.advance(200);
  assert.equal(described((await asked.peer.next()).bytes), 'data 1 (512)');
});

test('an abort after the answer to options is not reported; a later one is', async () => {
  using tftp = await startTftp({ files });
  using asked = await askedBy(tftp.address, readRequest('snponly.efi', ['tsize', 0]));
  asked.peer.send(errorPacket(8, 'User aborted the transfer'), asked.first.from);
  await tftp.settled();
  assert.deepEqual(tftp.texts, []);
  using other = await askedBy(tftp.address, readRequest('snponly.efi'));
  other.peer.send(acknowledgement(1), other.first.from);
  other.peer.send(errorPacket(3, 'disk\nfull'), other.first.from);
  await tftp.settled();
  assert.deepEqual(tftp.texts, ['aborted snponly.efi after 512 bytes: disk?full']);
});

test('the transfer to a client that has closed its port ends at the next packet', async () => {
  const clock = fakeClock();
  using tftp = await startTftp({ files, clock });
  const asked = await askedBy(tftp.address, readRequest('snponly.efi', ['windowsize', 4]));
  asked.peer.send(acknowledgement(0), asked.first.from);
  asked.peer[Symbol.dispose]();
  await tftp.settled();
  await clock.advance(250);
  await tftp.settled();
  assert.deepEqual(tftp.texts, ['did not get all of snponly.efi: the machine has closed its port']);
});

test('a transfer is reported as sent even if its last acknowledgement does not arrive', async () => {
  const clock = fakeClock();
  using tftp = await startTftp({ files, clock });
  using asked = await askedBy(tftp.address, readRequest('empty', ['tsize', 0]));
  asked.peer.send(acknowledgement(0), asked.first.from);
  await asked.peer.next();
  await clock.advance(60_000);
  await tftp.settled();
  assert.deepEqual(tftp.texts, ['sent empty (0 bytes); the last acknowledgement did not arrive']);
});
