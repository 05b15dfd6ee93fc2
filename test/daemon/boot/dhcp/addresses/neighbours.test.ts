import assert from 'node:assert/strict';
import { test } from 'node:test';
import { macInTable, Neighbours } from '../../../../../daemon/boot/dhcp/addresses/neighbours.ts';
import { fakeClock, settled } from '../../../../fakes/clock.ts';
import { ip } from '../../../../fakes/boot/dhcp-site.ts';

const TABLE = `IP address       HW type     Flags       HW address            Mask     Device
10.0.0.5         0x1         0x2         52:54:00:00:00:05     *        br0
10.0.0.50        0x1         0x0         00:00:00:00:00:00     *        br0
10.0.0.51        0x1         0x6         52:54:00:00:00:51     *        br0
`;

test('a complete entry of the ARP table names the host, an incomplete one names none', () => {
  assert.equal(macInTable(TABLE, '10.0.0.5'), '52:54:00:00:00:05');
  assert.equal(macInTable(TABLE, '10.0.0.51'), '52:54:00:00:00:51');
  assert.equal(macInTable(TABLE, '10.0.0.50'), undefined);
  assert.equal(macInTable(TABLE, '10.0.0.6'), undefined);
  assert.equal(macInTable('', '10.0.0.6'), undefined);
});

interface Read {
  readonly sent: number[];
  readonly find: (address: string) => ReturnType<Neighbours['find']>;
}

/** Returns a `find` whose first reading of the ARP table returns the first of `tables`, and so on; later readings are empty. */
function reading(...tables: readonly string[]): Read & { readonly clock: ReturnType<typeof fakeClock> } {
  const clock = fakeClock();
  const sent: number[] = [];
  const left = [...tables];
  const neighbours = new Neighbours({
    clock,
    send: (_, { address }) => void sent.push(address),
    readTable: async () => left.shift() ?? '',
  });
  return { clock, sent, find: (address) => neighbours.find(ip(address), true) };
}

test('an address is in use when a host answers the ARP request that a probe causes', async () => {
  const { clock, sent, find } = reading('', TABLE);
  const found = find('10.0.0.5');
  await settled();
  await clock.advance(100);
  assert.deepEqual(await found, { kind: 'user', mac: '52:54:00:00:00:05' });
  assert.deepEqual(sent, [ip('10.0.0.5')]);
});

test('after 10 s the table of the kernel shows whether a host that it knew before is still there', async () => {
  for (const [later, mac] of [
    [TABLE, '52:54:00:00:00:05'],
    ['', undefined],
  ] as const) {
    const { clock, sent, find } = reading(TABLE, later);
    const found = await find('10.0.0.5');
    assert.deepEqual(sent, [ip('10.0.0.5')]);
    assert.ok(found.kind === 'remembered');
    await clock.advance(10_000);
    assert.equal(await found.verdict, mac);
  }
});

test('at most 64 addresses are probed at a time, 48 of them for machines without a port, and further ones are not', async () => {
  const clock = fakeClock();
  const sent: number[] = [];
  const neighbours = new Neighbours({
    clock,
    send: (_, { address }) => void sent.push(address),
    readTable: async () => '',
  });
  const forUnknown = Array.from({ length: 50 }, (_, index) => neighbours.find(ip('10.1.0.5') + index, false));
  assert.deepEqual(await forUnknown[48], { kind: 'unprobed' });
  const found = Array.from({ length: 70 }, (_, index) => neighbours.find(ip('10.0.0.5') + index, true));
  void neighbours.find(ip('10.0.0.5'), true);
  await settled();
  assert.equal(sent.length, 64);
  assert.deepEqual(await found[69], { kind: 'unprobed' });
  await clock.advance(100);
  assert.deepEqual(await found[0], { kind: 'none' });
});

const noTable = () => Promise.reject(new Error('ENOENT'));

test('on a host without the ARP table, addresses count as free', async () => {
  const clock = fakeClock();
  const found = new Neighbours({ clock, send: () => {}, readTable: noTable }).find(1, true);
  await settled();
  await clock.advance(100);
  assert.deepEqual(await found, { kind: 'none' });
});
