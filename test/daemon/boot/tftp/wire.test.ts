// Packets are read as the RFCs define them, and all other bytes are ignored.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  decode,
  encodeError,
  encodeOptionAcknowledgement,
  writeDataHeader,
} from '../../../../daemon/boot/tftp/wire.ts';
import { acknowledgement, described, readRequest, writeRequest } from '../../../fakes/boot/tftp-peer.ts';

const optionsOf = (...texts: readonly (string | number)[]) => {
  const packet = decode(readRequest('a', texts));
  return packet?.kind === 'read' ? packet.options : undefined;
};

const name = fc
  .string({ minLength: 1, maxLength: 80, unit: 'grapheme' })
  .filter((text) => !text.includes('\0'));

test('a read request is read as it was written', () => {
  fc.assert(
    fc.property(
      name,
      fc.constantFrom('octet', 'netascii'),
      fc.record(
        {
          blksize: fc.integer({ min: 8, max: 65_464 }),
          timeout: fc.integer({ min: 1, max: 255 }),
          windowsize: fc.integer({ min: 1, max: 65_535 }),
          tsize: fc.constant(0),
        },
        { requiredKeys: [] },
      ),
      (file, mode, options) => {
        const { blksize, timeout, windowsize, tsize } = options;
        assert.deepEqual(decode(readRequest(file, Object.entries(options).flat(), mode)), {
          kind: 'read',
          name: file.toWellFormed(),
          mode,
          options: {
            ...(blksize !== undefined && { blockBytes: blksize }),
            ...(timeout !== undefined && { timeoutSeconds: timeout }),
            ...(windowsize !== undefined && { windowBlocks: windowsize }),
            ...(tsize !== undefined && { wantsSize: true }),
          },
        });
      },
    ),
  );
});

test('acknowledgements, errors and write requests are read as they were written', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 65_535 }), name, (number, text) => {
      assert.deepEqual(decode(acknowledgement(number)), { kind: 'acknowledgement', block: number });
      assert.deepEqual(decode(encodeError(number, text)), {
        kind: 'error',
        code: number,
        text: text.toWellFormed(),
      });
      assert.deepEqual(decode(writeRequest(text)), { kind: 'write', name: text.toWellFormed() });
    }),
  );
});

test('any part of a packet and any bytes are decoded or ignored, without an exception', () => {
  const whole = readRequest('boot/snponly.efi', ['blksize', 1432, 'tsize', 0]);
  for (let length = 0; length <= whole.length; length += 1) decode(whole.subarray(0, length));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 700 }), (bytes) => void decode(Buffer.from(bytes))),
    {
      numRuns: 2000,
    },
  );
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 6 }), fc.uint8Array({ maxLength: 700 }), (operation, bytes) => {
      decode(Buffer.from([0, operation, ...bytes]));
    }),
    { numRuns: 2000 },
  );
});

test('a message without a name, without a terminated mode, or over 512 bytes is not a request', () => {
  for (const bytes of [
    Buffer.from([0, 1]),
    Buffer.from('\0\u0001name'),
    Buffer.from('\0\u0001name\0octet'),
    Buffer.from('\0\u0001\0octet\0'),
    readRequest('x'.repeat(505)),
  ])
    assert.equal(decode(bytes), undefined, JSON.stringify(bytes.toString()));
  assert.equal(decode(readRequest('x'.repeat(503)))?.kind, 'read');
});

test('packets other than requests, acknowledgements and errors are ignored', () => {
  for (const operation of [0, 3, 6, 7, 255])
    assert.equal(decode(Buffer.from([0, operation, 0, 1])), undefined);
});

test('option names and modes are recognized in any case', () => {
  assert.deepEqual(optionsOf('BLKSIZE', 1468, 'WindowSize', 4, 'tSize', 0), {
    blockBytes: 1468,
    windowBlocks: 4,
    wantsSize: true,
  });
  const packet = decode(readRequest('a', [], 'OcTeT'));
  assert.equal(packet?.kind === 'read' && packet.mode, 'octet');
});

test('an invalid value, an unknown option and a repeated one are ignored', () => {
  for (const value of [
    '',
    '7',
    '65465',
    '1e3',
    '0x200',
    ' 600',
    '600 ',
    '+600',
    '-1',
    '512.0',
    '9'.repeat(400),
  ])
    assert.deepEqual(optionsOf('blksize', value, 'tsize', 0), { wantsSize: true }, value);
  for (const [option, value] of [
    ['windowsize', 0],
    ['windowsize', 65_536],
    ['timeout', 0],
    ['timeout', 256],
    ['tsize', 7],
    ['rollover', 1],
    ['__proto__', 1],
  ] as const)
    assert.deepEqual(optionsOf(option, value), {}, option);
  assert.deepEqual(optionsOf('blksize', 600, 'blksize', 700, 'tsize'), { blockBytes: 600 });
});

test('an option acknowledgement, an error and a data header are encoded as the RFCs define them', () => {
  const options = new Map([
    ['blksize', 1468],
    ['tsize', 173_792],
  ]);
  assert.equal(described(encodeOptionAcknowledgement(options)), 'oack blksize=1468 tsize=173792');
  assert.deepEqual(encodeError(1, 'no'), Buffer.from('\0\u0005\0\u0001no\0'));
  const packet = Buffer.alloc(5);
  writeDataHeader(packet, 65_537);
  assert.equal(described(packet), 'data 1 (1)');
});

function millisecondsToDecode(bytes: Buffer): number {
  const from = performance.now();
  for (let runs = 0; runs < 200; runs += 1) decode(bytes);
  return performance.now() - from;
}

test('a very long datagram and one with many empty texts are decoded quickly', () => {
  assert.ok(millisecondsToDecode(Buffer.alloc(65_000, '\0\u0001')) < 1000);
  assert.ok(
    millisecondsToDecode(
      readRequest(
        'a',
        Array.from({ length: 250 }, () => ''),
      ),
    ) < 1000,
  );
});
