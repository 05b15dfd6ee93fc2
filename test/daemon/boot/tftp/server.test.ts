// The server against clients that keep to the RFCs, clients that do not, and strangers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeClock } from '../../../fakes/clock.ts';
import {
  acknowledgement,
  described,
  errorPacket,
  readByTftp,
  readRequest,
  TftpPeer,
  writeRequest,
} from '../../../fakes/boot/tftp-peer.ts';
import { askedBy, startTftp } from '../../../fakes/boot/tftp-server.ts';

const pattern = (size: number) =>
  Buffer.from(Uint8Array.from({ length: size }, (_, at) => at * 7 + (at >> 8)));
const bytes = (content: Buffer) => ({ kind: 'bytes', bytes: content }) as const;
const loader = pattern(173_792);
const files = { 'snponly.efi': bytes(loader), small: bytes(pattern(3000)), empty: bytes(Buffer.alloc(0)) };

test('content of 0 to 300,000 bytes is sent unchanged, with various options', async () => {
  const sizes = [0, 1, 511, 512, 513, 1024, 1467, 1468, 1469, 131_072, 300_000];
  const named = Object.fromEntries(sizes.map((size) => [String(size), bytes(pattern(size))]));
  using tftp = await startTftp({ files: named });
  for (const size of sizes) {
    for (const options of [
      [],
      ['tsize', 0],
      ['blksize', 100],
      ['blksize', 1468, 'windowsize', 4],
      ['blksize', 512, 'windowsize', 64, 'tsize', 0, 'timeout', 3],
      ['blksize', 1432, 'windowsize', 7],
      ['blksize', 65_464, 'windowsize', 65_535],
    ])
      assert.deepEqual(
        await readByTftp(tftp.address, String(size), options),
        pattern(size),
        `${size} ${options.join(' ')}`,
      );
  }
  await tftp.settled();
  assert.equal(tftp.events.length, sizes.length * 7);
});

test('a file of 65,535 blocks and one of 65,537 blocks are sent, although block numbers end at 65,535', async () => {
  for (const size of [33_553_919, 33_554_432]) {
    const content = Buffer.alloc(size, pattern(1009));
    using tftp = await startTftp({ files: { large: bytes(content) } });
    assert.ok((await readByTftp(tftp.address, 'large', ['windowsize', 64])).equals(content), String(size));
  }
});

test('events name the files that were sent, and those that were asked for but not served', async () => {
  using tftp = await startTftp({ files });
  await readByTftp(tftp.address, '/snponly.efi');
  await tftp.settled();
  await assert.rejects(
    readByTftp(tftp.address, 'grub\u001b[2J/command.lst'),
    /^Error: grub\?\[2J\/command\.lst is not served here$/,
  );
  assert.deepEqual(tftp.events, [
    { hop: 'tftp', address: '127.0.0.1', text: 'sent /snponly.efi (173,792 bytes) in 0.0 s' },
    {
      hop: 'tftp',
      address: '127.0.0.1',
      text: 'asked for grub?[2J/command.lst, which is not served',
      failed: true,
    },
  ]);
});

test('the refusal of a file that boot loaders can do without makes no event', async () => {
  using tftp = await startTftp({ files });
  await assert.rejects(readByTftp(tftp.address, 'autoexec.ipxe'), /is not served here$/);
  assert.deepEqual(tftp.events, []);
});

test('names that are not in the table, such as paths with .., do not exist', async () => {
  using tftp = await startTftp({ files });
  for (const name of [
    '../etc/passwd',
    '/etc/passwd',
    '..\\small',
    '.',
    '..',
    '__proto__',
    'constructor',
    'small/',
  ])
    await assert.rejects(readByTftp(tftp.address, name), /is not served here/, name);
});

test('write requests and mode mail are refused', async () => {
  using tftp = await startTftp({ files });
  using peer = await TftpPeer.open(tftp.address);
  assert.equal(described((await peer.ask(writeRequest('small'))).bytes), 'error 2');
  assert.deepEqual(tftp.texts, ['asked to write small, which is refused']);
  assert.equal(described((await peer.ask(readRequest('small', [], 'mail'))).bytes), 'error 4');
});

test('each valid option is answered with the value that the server uses, and others are ignored', async () => {
  using tftp = await startTftp({ files });
  for (const [options, answer] of [
    [['blksize', 1432, 'tsize', 0], 'oack blksize=1432 tsize=173792'],
    [['BLKSIZE', 9000, 'WindowSize', 65_535], 'oack blksize=1468 windowsize=64'],
    [['timeout', 5], 'oack timeout=5'],
    [['blksize', 7, 'windowsize', 0, 'tsize', 1, 'rollover', 1], 'data 1 (512)'],
    [['blksize', '1e3'], 'data 1 (512)'],
  ] as const) {
    using asked = await askedBy(tftp.address, readRequest('snponly.efi', options));
    assert.equal(described(asked.first.bytes), answer);
  }
});

test('a window never holds more than 128 KiB', async () => {
  using tftp = await startTftp({ files, limits: { blockBytes: 65_464 } });
  using asked = await askedBy(
    tftp.address,
    readRequest('snponly.efi', ['blksize', 65_464, 'windowsize', 64]),
  );
  assert.equal(described(asked.first.bytes), 'oack blksize=65464 windowsize=2');
});

test('short and meaningless datagrams do no harm, neither to the server nor to a transfer', async () => {
  using tftp = await startTftp({ files });
  using asked = await askedBy(tftp.address, readRequest('small'));
  for (const stray of [
    Buffer.alloc(0),
    Buffer.alloc(1),
    Buffer.from([0, 4]),
    Buffer.from([0, 4, 0]),
    Buffer.alloc(2000, 255),
  ]) {
    asked.peer.send(stray);
    asked.peer.send(stray, asked.first.from);
  }
  await tftp.settled();
  assert.deepEqual(asked.peer.waiting, []);
  asked.peer.send(acknowledgement(1), asked.first.from);
  assert.equal(described((await asked.peer.next()).bytes), 'data 2 (512)');
  assert.equal((await readByTftp(tftp.address, 'small')).length, 3000);
});

test('a repeated acknowledgement sends nothing at window 1', async () => {
  using tftp = await startTftp({ files });
  using asked = await askedBy(tftp.address, readRequest('snponly.efi'));
  for (let round = 0; round < 10; round += 1) asked.peer.send(acknowledgement(1), asked.first.from);
  assert.equal(described((await asked.peer.next()).bytes), 'data 2 (512)');
  await tftp.settled();
  assert.deepEqual(asked.peer.waiting, []);
});

test('at window 4 a repeated acknowledgement sends the window once more, and only once', async () => {
  using tftp = await startTftp({ files });
  using asked = await askedBy(tftp.address, readRequest('snponly.efi', ['windowsize', 4]));
  for (let round = 0; round < 10; round += 1) asked.peer.send(acknowledgement(0), asked.first.from);
  await tftp.settled();
  const window = [1, 2, 3, 4].map((block) => `data ${block} (512)`);
  assert.deepEqual(asked.peer.waiting, [...window, ...window]);
});

test('acknowledging the answer to options again and again does no harm', async () => {
  using tftp = await startTftp({ files });
  using asked = await askedBy(tftp.address, readRequest('small', ['tsize', 0]));
  for (let round = 0; round < 5; round += 1) asked.peer.send(acknowledgement(0), asked.first.from);
  await tftp.settled();
  assert.deepEqual(asked.peer.waiting, ['data 1 (512)']);
});

test('packets from another client neither advance nor end a transfer', async () => {
  using tftp = await startTftp({ files });
  using asked = await askedBy(tftp.address, readRequest('small'));
  using stranger = await TftpPeer.open(tftp.address);
  stranger.send(acknowledgement(1), asked.first.from);
  stranger.send(errorPacket(0, 'ended'), asked.first.from);
  await tftp.settled();
  assert.deepEqual([asked.peer.waiting, stranger.waiting, tftp.texts], [[], [], []]);
  asked.peer.send(acknowledgement(1), asked.first.from);
  assert.equal(described((await asked.peer.next()).bytes), 'data 2 (512)');
});

test('the reply comes from the address that was asked', async () => {
  using tftp = await startTftp({ files, addresses: ['127.0.0.5', '127.0.0.6'] });
  for (const address of tftp.server.addresses) {
    using asked = await askedBy(address, readRequest('small'));
    assert.equal(asked.first.from.address, address.split(':')[0]);
  }
});

test('a request that is repeated before the first acknowledgement starts no second transfer', async () => {
  using tftp = await startTftp({ files });
  using asked = await askedBy(tftp.address, readRequest('small'));
  for (let round = 0; round < 3; round += 1) asked.peer.send(readRequest('small'));
  await tftp.settled();
  assert.deepEqual(asked.peer.waiting, []);
});

test('a firmware that starts again on the same port gets a new transfer in place of the old one', async () => {
  using tftp = await startTftp({ files });
  using asked = await askedBy(tftp.address, readRequest('small'));
  asked.peer.send(acknowledgement(1), asked.first.from);
  await asked.peer.next();
  const again = await asked.peer.ask(readRequest('small'));
  assert.equal(described(again.bytes), 'data 1 (512)');
  assert.notEqual(again.from.port, asked.first.from.port);
  const other = await asked.peer.ask(readRequest('empty'));
  assert.equal(described(other.bytes), 'data 1 (0)');
  asked.peer.send(acknowledgement(1), other.from);
  await tftp.settled();
  assert.deepEqual([asked.peer.waiting, tftp.texts], [[], ['sent empty (0 bytes)']]);
});

test('a request in the name of a client that is receiving does not end its transfer', async () => {
  using tftp = await startTftp({ files });
  using asked = await askedBy(tftp.address, readRequest('small'));
  asked.peer.send(acknowledgement(1), asked.first.from);
  assert.equal(described((await asked.peer.next()).bytes), 'data 2 (512)');
  await asked.peer.ask(readRequest('empty'));
  asked.peer.send(acknowledgement(2), asked.first.from);
  const third = await asked.peer.next();
  assert.equal(described(third.bytes), 'data 3 (512)');
  assert.equal(third.from.port, asked.first.from.port);
});

test('a client with too many transfers gets no answer until one of them ends', async () => {
  using tftp = await startTftp({ files, limits: { transfersPerClient: 2 } });
  using first = await askedBy(tftp.address, readRequest('small'));
  using second = await askedBy(tftp.address, readRequest('small'));
  using third = await TftpPeer.open(tftp.address);
  third.send(readRequest('small'));
  await tftp.settled();
  assert.deepEqual([second.peer.waiting, third.waiting], [[], []]);
  first.peer.send(errorPacket(0, 'enough'), first.first.from);
  await tftp.settled();
  assert.equal(described((await third.ask(readRequest('small'))).bytes), 'data 1 (512)');
});

test('transfers whose clients never answered make room for others after a second', async () => {
  const clock = fakeClock();
  using tftp = await startTftp({ files, clock, limits: { transfers: 2 } });
  using heard = await askedBy(tftp.address, readRequest('small'));
  heard.peer.send(acknowledgement(1), heard.first.from);
  await heard.peer.next();
  using forged = await askedBy(tftp.address, readRequest('small'));
  await clock.advance(1100);
  assert.equal((await readByTftp(tftp.address, 'empty')).length, 0);
  heard.peer.send(acknowledgement(2), heard.first.from);
  await tftp.settled();
  assert.ok(heard.peer.waiting.includes('data 3 (512)'), heard.peer.waiting.join());
  forged.peer.send(acknowledgement(1), forged.first.from);
  await tftp.settled();
  assert.ok(!forged.peer.waiting.includes('data 2 (512)'));
});

test('100 clients at once get the whole file', async () => {
  using tftp = await startTftp({ files });
  const read = () => readByTftp(tftp.address, 'snponly.efi', ['blksize', 1468, 'windowsize', 4]);
  for (const content of await Promise.all(Array.from({ length: 100 }, read)))
    assert.ok(content.equals(loader));
});

test('stopping ends every transfer and timer', async () => {
  const clock = fakeClock();
  const tftp = await startTftp({ files, clock });
  using asked = await askedBy(tftp.address, readRequest('snponly.efi'));
  tftp.server.stop();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([clock.pending, asked.peer.waiting, tftp.texts], [0, [], []]);
});
