import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientAddress } from '../../../../daemon/http/request/arriving.ts';

const of = (peer: string | undefined, headers: Readonly<Record<string, string>>, believed: boolean) =>
  clientAddress(
    {
      oslo_middleware: {
        enable_proxy_headers_parsing: believed,
        trusted_proxies: ['192.0.2.0/28', '2001:db8:1::/64'],
      },
    },
    peer,
    (name) => headers[name],
  );

test("the address is that of the connection's peer, and null for a Unix socket", () => {
  assert.equal(of('192.0.2.1', {}, false), '192.0.2.1');
  assert.equal(of('::ffff:192.0.2.1', {}, false), '192.0.2.1');
  assert.equal(of(undefined, {}, false), null);
});

test('proxy headers are ignored unless enable_proxy_headers_parsing is set', () => {
  const headers = { 'x-forwarded-for': '198.51.100.7, 192.0.2.1' };
  assert.equal(of('192.0.2.1', headers, false), '192.0.2.1');
  assert.equal(of('192.0.2.1', headers, true), '198.51.100.7');
  assert.equal(of('::ffff:192.0.2.1', headers, true), '198.51.100.7');
  assert.equal(of('2001:db8:1::1', headers, true), '198.51.100.7');
  assert.equal(of(undefined, headers, true), '198.51.100.7');
  assert.equal(of('192.0.2.1', {}, true), '192.0.2.1');
});

test('proxy headers from an address that is not in trusted_proxies are ignored', () => {
  for (const headers of [{ 'x-forwarded-for': '127.0.0.1' }, { forwarded: 'for=127.0.0.1' }])
    for (const stranger of ['192.0.2.16', '2001:db8:2::1'])
      assert.equal(of(stranger, headers, true), stranger);
});

test('what a client puts in front of the address that the proxies append does not count', () => {
  assert.equal(of('192.0.2.1', { 'x-forwarded-for': '127.0.0.1, 198.51.100.7' }, true), '198.51.100.7');
  assert.equal(
    of('192.0.2.1', { 'x-forwarded-for': '127.0.0.1, 198.51.100.7, 192.0.2.2' }, true),
    '198.51.100.7',
  );
  assert.equal(of('192.0.2.1', { forwarded: 'for=127.0.0.1, for=198.51.100.7' }, true), '198.51.100.7');
  assert.equal(of('192.0.2.1', { 'x-forwarded-for': '192.0.2.3, 192.0.2.2' }, true), '192.0.2.3');
});

test('headers that name different clients are ignored: the proxy sets one, and the client can send the other', () => {
  const mine = { 'x-forwarded-for': '198.51.100.7' };
  assert.equal(of('192.0.2.1', { ...mine, forwarded: 'for=127.0.0.1' }, true), '192.0.2.1');
  assert.equal(of('192.0.2.1', { ...mine, forwarded: 'for=198.51.100.7' }, true), '198.51.100.7');
  assert.equal(of('192.0.2.1', { ...mine, forwarded: 'proto=https' }, true), '198.51.100.7');
});

for (const [forwarded, address] of [
  ['for=198.51.100.7;proto=https', '198.51.100.7'],
  ['for="198.51.100.7:4711", for=192.0.2.9', '198.51.100.7'],
  ['proto=https;for="[2001:db8::7]:4711"', '2001:db8::7'],
  ['for="[2001:DB8::7]"', '2001:db8::7'],
  ['for=_hidden', '_hidden'],
  ['proto=https', '192.0.2.1'],
] as const) {
  test(`with "Forwarded: ${forwarded}" the address of the client is ${address}`, () =>
    assert.equal(of('192.0.2.1', { forwarded }, true), address));
}
