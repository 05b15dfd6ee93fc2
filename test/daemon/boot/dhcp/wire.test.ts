import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { type DhcpOptions, optionCode } from '../../../../daemon/boot/dhcp/options.ts';
import { decodeMessage, type DhcpMessage, encodeMessage } from '../../../../daemon/boot/dhcp/wire.ts';

const bytes = (least: number, most: number) => fc.uint8Array({ minLength: least, maxLength: most });
const word = fc.integer({ min: 0, max: 0xff_ff_ff_ff });
const options: fc.Arbitrary<DhcpOptions> = fc
  .dictionary(
    fc
      .integer({ min: 1, max: 254 })
      .filter((code) => code !== optionCode.overload)
      .map(String),
    bytes(0, 700),
    { maxKeys: 12 },
  )
  .map((record) => new Map(Object.entries(record).map(([code, value]) => [Number(code), value])));
const messages: fc.Arbitrary<DhcpMessage> = fc.record({
  op: fc.constantFrom('request' as const, 'reply' as const),
  hardwareType: fc.nat(255),
  hardwareAddress: bytes(0, 16),
  hops: fc.nat(16),
  transactionId: word,
  flags: fc.nat(0xff_ff),
  clientAddress: word,
  yourAddress: word,
  nextServer: word,
  relay: word,
  file: fc.string({ maxLength: 127, unit: fc.constantFrom('a', '/', '.', '~') }),
  options,
});

const plain = ({ hardwareAddress, options: map, ...header }: DhcpMessage) => ({
  ...header,
  hardwareAddress: Buffer.from(hardwareAddress).toString('hex'),
  options: [...map]
    .map(([code, value]) => [code, Buffer.from(value).toString('hex')])
    .toSorted(([a], [b]) => Number(a) - Number(b)),
});

/** A message with these bytes as its options, and with further options in `file` and `sname`. */
function packet(area: readonly number[], file: readonly number[] = [], serverName: readonly number[] = []) {
  const made = Buffer.alloc(240 + area.length);
  made.set([1, 1, 6, 0], 0);
  made.set(serverName, 44);
  made.set(file, 108);
  made.writeUInt32BE(0x63_82_53_63, 236);
  made.set(area, 240);
  return made;
}

const optionsIn = (datagram: Uint8Array) => {
  const decoded = decodeMessage(datagram);
  assert.ok(decoded.kind === 'message', JSON.stringify(decoded));
  return Object.fromEntries([...decoded.message.options].map(([code, value]) => [code, [...value]]));
};

test('what is written is read back unchanged, also options of more than 255 bytes', () => {
  fc.assert(
    fc.property(messages, (message) => {
      const decoded = decodeMessage(encodeMessage(message));
      assert.ok(decoded.kind === 'message');
      assert.deepEqual(plain(decoded.message), plain(message));
    }),
  );
});

test('a message has at least the 300 bytes of BOOTP', () => {
  fc.assert(fc.property(messages, (message) => assert.ok(encodeMessage(message).length >= 300)));
});

test("the message type is written first and the relay's option last", () => {
  const written = encodeMessage({
    ...fc.sample(messages, { numRuns: 1, seed: 1 })[0]!,
    options: new Map([
      [optionCode.relayAgent, Uint8Array.of(1, 1, 7)],
      [optionCode.leaseTime, new Uint8Array(4)],
      [optionCode.ipxe, Uint8Array.of(1)],
      [optionCode.messageType, Uint8Array.of(2)],
    ]),
  });
  assert.equal(
    Buffer.from(written.subarray(240, 263)).toString('hex'),
    '350102330400000000af01015203010107ff0000000000',
  );
});

test('decoding random bytes or a cut-off message never throws', () => {
  fc.assert(fc.property(bytes(0, 700), (datagram) => void decodeMessage(datagram)));
  fc.assert(
    fc.property(messages, fc.nat(600), (message, length) => {
      const cut = encodeMessage(message).subarray(0, length);
      if (length < 240) assert.equal(decodeMessage(cut).kind, 'malformed');
      else decodeMessage(cut);
    }),
  );
});

test('PAD takes one byte, wherever it stands', () => {
  assert.deepEqual(optionsIn(packet([0, 53, 1, 1, 0, 0, 50, 4, 10, 0, 0, 9, 0, 255])), {
    50: [10, 0, 0, 9],
    53: [1],
  });
});

test('bytes after END are not read, and END may be missing', () => {
  assert.deepEqual(optionsIn(packet([53, 1, 1, 255, 50, 4, 1, 1, 1, 1])), { 53: [1] });
  assert.deepEqual(optionsIn(packet([53, 1, 1])), { 53: [1] });
});

test('the parts of an option that occurs more than once are joined, across file and sname too', () => {
  const datagram = packet([53, 1, 1, 52, 1, 3, 67, 1, 97, 255], [67, 1, 98, 255], [67, 1, 99, 255]);
  assert.deepEqual(optionsIn(datagram)['67'], [97, 98, 99]);
  const decoded = decodeMessage(datagram);
  assert.equal(decoded.kind === 'message' && decoded.message.file, '');
});

test('malformed messages are refused with the reason', () => {
  const changed = (at: number, value: number) => {
    const datagram = packet([53, 1, 1, 255]);
    datagram[at] = value;
    return datagram;
  };
  const reasons = [
    new Uint8Array(100),
    changed(0, 7),
    changed(2, 17),
    changed(3, 17),
    changed(236, 0),
    packet([53, 9, 1]),
    packet([53]),
    packet([53, 1, 1, 52, 1, 1, 255], [67, 200]),
  ].map((datagram) => {
    const decoded = decodeMessage(datagram);
    return decoded.kind === 'malformed' && decoded.reason;
  });
  assert.deepEqual(reasons, [
    'it has 100 bytes; a DHCP message has at least 240',
    'its operation is 7, neither request (1) nor reply (2)',
    'its hardware address has 17 bytes; there is room for 16',
    'it passed 17 relays; at most 16 are allowed',
    'it has no DHCP magic cookie',
    ...Array<string>(3).fill('an option is longer than its message'),
  ]);
});

test('a value that comes in twenty thousand parts is joined', () => {
  const repeated = Array.from({ length: 20_000 }, () => [67, 1, 97]).flat();
  const value = optionsIn(packet(repeated))['67'];
  assert.equal(value?.length, 20_000);
});

test('a boot file too long for the header is left out of the header', () => {
  const [message] = fc.sample(messages, { numRuns: 1, seed: 2 });
  const url = `http://10.0.0.1/${'a'.repeat(120)}`;
  const decoded = decodeMessage(encodeMessage({ ...message!, file: url }));
  assert.equal(decoded.kind === 'message' && decoded.message.file, '');
});
