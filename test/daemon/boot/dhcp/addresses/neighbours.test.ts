import assert from 'node:assert/strict';
import { test } from 'node:test';
import { macInTable, Neighbours } from '../../../../../daemon/boot/dhcp/addresses/neighbours.ts';
import { fakeClock } from '../../../../fakes/clock.ts';
import { ip } from '../../../../fakes/dhcp-site.ts';

const TABLE = `IP address       HW type     Flags       HW address            Mask     Device
10.0.0.5         0x1         0x2         52:54:00:00:00:05     *        br0
10.0.0.50        0x1         0x0         00:00:00:00:00:00     *        br0
10.0.0.51        0x1         0x6         52:54:00:00:00:51     *        br0
`;

test('a complete entry of the table names the host, an incomplete one names none', () => {
  assert.equal(macInTable(TABLE, '10.0.0.5'), '52:54:00:00:00:05');
  assert.equal(macInTable(TABLE, '10.0.0.51'), '52:54:00:00:00:51');
  assert.equal(macInTable(TABLE, '10.0.0.50'), undefined);
  assert.equal(macInTable(TABLE, '10.0.0.6'), undefined);
  assert.equal(macInTable('', '10.0.0.6'), undefined);
});

test('at most 64 addresses are probed at a time, and further ones count as free', async () => {
  const clock = fakeClock();
  const sent: number[] = [];
  const neighbours = new Neighbours({
    clock,
    send: (_, { address }) => void sent.push(address),
    readTable: async () => TABLE,
  });
  const found = Array.from({ length: 70 }, (_, index) => neighbours.find(ip('10.0.0.5') + index));
  void neighbours.find(ip('10.0.0.5'));
  assert.equal(sent.length, 64);
  await clock.advance(100);
  assert.equal(await found[0], '52:54:00:00:00:05');
  assert.equal(await found[46], '52:54:00:00:00:51');
  assert.equal(await found[69], undefined);
});

const noTable = () => Promise.reject(new Error('ENOENT'));

test('on a host without the table, addresses count as free', async () => {
  const clock = fakeClock();
  const found = new Neighbours({ clock, send: () => {}, readTable: noTable }).find(1);
  await clock.advance(100);
  assert.equal(await found, undefined);
});
