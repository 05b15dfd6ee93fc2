import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  decodeDhcp6,
  dhcp6Code,
  dhcp6Type,
  encodeDhcp6,
  encodeRelayed,
  type RelayHop,
} from '../../../../daemon/boot/dhcp6/dhcp6-wire.ts';
import { ip6 } from '../../../fakes/dhcp6/dhcp6-site.ts';

const option = fc.record({
  code: fc.integer({ min: 0, max: 65_535 }),
  value: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
});
const message = fc.record({
  type: fc.constantFrom(dhcp6Type.solicit, dhcp6Type.renew, dhcp6Type.informationRequest),
  transactionId: fc.integer({ min: 0, max: 0xff_ff_ff }),
  options: fc.array(option, { maxLength: 10 }),
});
const plain = (options: readonly { readonly code: number; readonly value: Uint8Array }[]) =>
  options.map(({ code, value }) => ({ code, value: Buffer.from(value) }));

const hop = (hops: number): RelayHop => ({
  hops,
  link: ip6(`2001:db8:${hops}::1`),
  peer: ip6(`fe80::${hops}`),
  options: [{ code: dhcp6Code.interfaceId, value: Buffer.from(`port ${hops}`) }],
});
const hops = (count: number) => Array.from({ length: count }, (_, index) => hop(count - index));

test('what is encoded is decoded again, also inside relays', () => {
  fc.assert(
    fc.property(message, fc.integer({ min: 0, max: 8 }), (sent, count) => {
      const decoded = decodeDhcp6(encodeRelayed('relayForward', hops(count), encodeDhcp6(sent)));
      if (decoded.kind !== 'request') assert.fail(decoded.kind);
      const { type, transactionId, options } = decoded.message;
      assert.deepEqual([type, transactionId], [sent.type, sent.transactionId]);
      assert.deepEqual(plain(options), plain(sent.options));
      assert.deepEqual(
        decoded.relays.map(({ link, peer, hops: number }) => ({ link, peer, hops: number })),
        hops(count).map(({ link, peer, hops: number }) => ({ link, peer, hops: number })),
      );
    }),
  );
});

test('a SOLICIT as bytes is what RFC 8415 draws', () => {
  const bytes = Buffer.from('01abcdef0001000a00030001525400123456000800020000', 'hex');
  assert.deepEqual(decodeDhcp6(bytes), {
    kind: 'request',
    message: {
      type: 1,
      transactionId: 0xab_cd_ef,
      options: [
        { code: 1, value: Buffer.from('00030001525400123456', 'hex') },
        { code: 8, value: Buffer.from('0000', 'hex') },
      ],
    },
    relays: [],
  });
});

const reason = (bytes: Uint8Array) => {
  const decoded = decodeDhcp6(bytes);
  return decoded.kind === 'malformed' ? decoded.reason : undefined;
};

test('malformed messages are refused with the reason', () => {
  const inner = encodeDhcp6({ type: 1, transactionId: 1, options: [] });
  assert.match(reason(Buffer.alloc(0)) ?? '', /has 0 bytes/);
  assert.match(reason(Buffer.from('01abcdef000100ff00', 'hex')) ?? '', /longer than its message/);
  assert.match(reason(encodeRelayed('relayForward', hops(9), inner)) ?? '', /more than 8 relays/);
  assert.match(reason(Buffer.alloc(20, dhcp6Type.relayForward)) ?? '', /passed on no message/);
  const many = Array.from({ length: 129 }, () => ({ code: 8, value: new Uint8Array() }));
  assert.match(reason(encodeDhcp6({ type: 1, transactionId: 1, options: many })) ?? '', /too many/);
});

test('no bytes make decoding throw', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => void decodeDhcp6(bytes)));
});
