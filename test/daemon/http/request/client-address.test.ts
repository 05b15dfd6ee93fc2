import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientAddress } from '../../../../daemon/http/request/client-address.ts';

const of = (peer: string | undefined, headers: Readonly<Record<string, string>>, believed: boolean) =>
  clientAddress(
    { oslo_middleware: { enable_proxy_headers_parsing: believed } },
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
  assert.equal(of(undefined, headers, true), '198.51.100.7');
  assert.equal(of('192.0.2.1', {}, true), '192.0.2.1');
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
