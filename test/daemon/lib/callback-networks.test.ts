// Which hosts the requests of an unauthenticated machine may lead to.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { test, type TestContext } from 'node:test';
import { callbackRule, refusedHost } from '../../../daemon/lib/callback-networks.ts';
import { systemClock } from '../../../daemon/lib/clock.ts';
import { exchange } from '../../../daemon/lib/exchange.ts';

async function listening(t: TestContext) {
  const seen: (string | undefined)[] = [];
  const server = createServer(({ url }, response) => {
    seen.push(url);
    response.writeHead(307, { location: '/elsewhere' }).end();
  }).listen(0, '127.0.0.1');
  t.after(() => void server.close());
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, seen };
}

const ask = (url: string, networks: readonly string[]) =>
  exchange({
    url,
    method: 'POST',
    body: '{}',
    trust: { rejectUnauthorized: true, minVersion: 'TLSv1.3' },
    addressRule: callbackRule(networks),
    timeoutSeconds: 10,
    clock: systemClock,
    signal: new AbortController().signal,
  });

test('a connection to this host is refused, by address or by a name that resolves to it', async (t) => {
  const { port, seen } = await listening(t);
  for (const host of ['127.0.0.1', '0x7f000001', 'localhost'])
    await assert.rejects(ask(`http://${host}:${port}/`, []), /loopback address.*|is refused.*loopback/, host);
  assert.deepEqual(seen, []);
});

test('a name with allowed addresses is contacted and redirects are not followed', async (t) => {
  const { port, seen } = await listening(t);
  for (const host of ['127.0.0.1', 'localhost'])
    assert.equal((await ask(`http://${host}:${port}/there`, ['127.0.0.0/8'])).status, 307);
  assert.deepEqual(seen, ['/there', '/there']);
});

test('every address of this host is refused, unless its network is listed', () => {
  const own = Object.values(networkInterfaces()).flatMap((each = []) => each.map(({ address }) => address));
  for (const address of own) assert.notEqual(callbackRule([])(address), undefined, address);
  assert.match(callbackRule([], () => ['192.0.2.1'])('192.0.2.1') ?? '', /address of the daemon's own host/);
  assert.equal(callbackRule([], () => ['192.0.2.1'])('192.0.2.2'), undefined);
  assert.equal(callbackRule(['192.0.2.0/24'], () => ['192.0.2.1'])('192.0.2.1'), undefined);
});

test('an address in a URL is checked in every spelling, a name only after lookup', () => {
  const rule = callbackRule([], () => []);
  for (const host of ['127.1', '0177.0.0.1', '[::ffff:7f00:1]', '[0:0:0:0:0:0:0:1]', '0'])
    assert.notEqual(refusedHost(`http://${host}`, rule), undefined, host);
  for (const host of ['192.0.2.1', '[2001:db8::1]', 'localhost'])
    assert.equal(refusedHost(`http://${host}`, rule), undefined, host);
});
