import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestRates } from '../../../../daemon/http/request/request-rates.ts';
import { fakeClock } from '../../../fakes/clock.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const lookup = { path: '/v1/lookup', rate: { perSecond: 5, burst: 50 } };

/** Returns how many of `times` requests of the address are answered. */
function answered(
  rates: RequestRates,
  address: string | null,
  times: number,
  route: typeof lookup = lookup,
): number {
  let count = 0;
  for (let time = 0; time < times; time += 1)
    try {
      rates.count(route.path, route.rate, address);
      count += 1;
    } catch (error) {
      assert.equal((error as { code?: unknown }).code, 'TooManyRequests');
    }
  return count;
}

test('an address gets the burst at once and then the rate, and others are not affected', async () => {
  const clock = fakeClock();
  const rates = new RequestRates(clock);
  assert.equal(answered(rates, '192.0.2.1', 100), 50);
  assert.equal(answered(rates, '192.0.2.2', 10), 10);
  await clock.advance(2000);
  assert.equal(answered(rates, '192.0.2.1', 100), 10);
  await clock.advance(3_600_000);
  assert.equal(answered(rates, '192.0.2.1', 100), 50, 'a pause saves up no more than the burst');
});

test('each route has a count of its own', () => {
  const rates = new RequestRates(fakeClock());
  const inspection = { path: '/v1/continue_inspection', rate: { perSecond: 2, burst: 3 } };
  assert.equal(answered(rates, '192.0.2.1', 100), 50);
  assert.equal(answered(rates, '192.0.2.1', 100, inspection), 3);
});

test('the addresses of one IPv6 subnet count as one, and so do both spellings of an IPv4 address', () => {
  const rates = new RequestRates(fakeClock());
  const ofSubnet = Array.from({ length: 100 }, (_, host) =>
    answered(rates, `2001:db8::${host.toString(16)}`, 1),
  );
  assert.equal(ofSubnet.filter((count) => count === 1).length, 50);
  assert.equal(answered(rates, '2001:db8:0:1::1', 1), 1, 'another subnet');
  assert.equal(answered(rates, '192.0.2.1', 50) + answered(rates, '::ffff:192.0.2.1', 50), 50);
});

test('requests from this host are not limited', () => {
  const rates = new RequestRates(fakeClock());
  for (const address of ['127.0.0.1', '::1', null]) assert.equal(answered(rates, address, 1000), 1000);
});

test('only the last ten thousand addresses are remembered, however many a client invents', () => {
  const rates = new RequestRates(fakeClock());
  assert.equal(answered(rates, '192.0.2.1', 50), 50);
  for (let number = 0; number < 9999; number += 1)
    rates.count(lookup.path, lookup.rate, `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`);
  assert.equal(answered(rates, '192.0.2.1', 1), 0, 'still remembered');
  rates.count(lookup.path, lookup.rate, '10.200.0.1');
  assert.equal(answered(rates, '192.0.2.1', 1), 1, 'forgotten');
});

test('lookups and inspection reports beyond the rate get 503 with an explanation, and other clients are served', async (t) => {
  const daemon = await startInProcess(t);
  const send = (remoteAddress: string, method: string, path: string) =>
    daemon.app.fetch(
      new Request(`http://ironic.test${path}`, {
        method,
        headers: { 'openstack-api-version': 'baremetal 1.90' },
      }),
      { incoming: { socket: { remoteAddress }, rawHeaders: [] } } as never,
    );
  for (const [method, path] of [
    ['GET', '/v1/lookup?addresses=52:54:00:00:00:01'],
    ['POST', '/v1/continue_inspection?node_uuid=00000000-0000-0000-0000-000000000001'],
  ] as const) {
    for (let time = 0; time < 50; time += 1)
      assert.equal((await send('192.0.2.1', method, path)).status, 404, path);
    const refused = await send('192.0.2.1', method, path);
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '2']);
    assert.match(
      await refused.text(),
      /192\.0\.2\.1 has sent more than 50 requests to \/v1\/.* per second are answered/,
    );
    assert.equal((await send('192.0.2.2', method, path)).status, 404);
  }
  // a route without a rate is not limited
  for (let time = 0; time < 100; time += 1)
    assert.equal((await send('192.0.2.1', 'GET', '/v1/nodes')).status, 200);
});
