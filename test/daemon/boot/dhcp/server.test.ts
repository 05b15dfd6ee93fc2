import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressesValue } from '../../../../daemon/boot/dhcp/options.ts';
import { choosing, dhcpSite, ip, mac, requestOf, type Sent, SUBNET } from '../../../fakes/boot/dhcp-site.ts';

const A = mac(1);
const B = mac(2);

const brief = (sent: readonly Sent[]) => sent.map(({ type, address, to }) => `${type} ${address} to ${to}`);
const hex = (sent: Sent | undefined, code: number) =>
  Buffer.from(sent?.message.options.get(code) ?? []).toString('hex');

test('a machine gets an address, with the settings of its subnet', async (t) => {
  const site = dhcpSite(t, { subnets: [`${SUBNET} ntp=10.0.0.3 domain=rack.example`] });
  site.enrol(A);
  const [offer] = await site.say(requestOf(A, 'discover'));
  const [ack] = await site.say(requestOf(A, 'request', { options: choosing('10.0.0.50') }));
  assert.deepEqual(brief([offer!, ack!]), [
    'offer 10.0.0.50 to 255.255.255.255:68',
    'acknowledge 10.0.0.50 to 255.255.255.255:68',
  ]);
  const codes = [1, 3, 6, 15, 28, 42, 51, 54, 58, 59];
  const expected = {
    1: 'ffffff00',
    3: '0a0000fe',
    6: '0a000002',
    15: Buffer.from('rack.example').toString('hex'),
    28: '0a0000ff',
    42: '0a000003',
    51: '00000e10',
    54: '0a000001',
    58: '00000708',
    59: '00000c4e',
  };
  for (const sent of [offer, ack])
    assert.deepEqual(Object.fromEntries(codes.map((code) => [code, hex(sent, code)])), expected);
});

test('an offer to an operating system has no option for a setting that is not configured, and none for a boot file', async (t) => {
  const site = dhcpSite(t, { subnets: ['10.0.0.0/24 range=10.0.0.50-10.0.0.59 interface=br0'] });
  site.enrol(A);
  const [offer] = await site.say(requestOf(A, 'discover'));
  assert.deepEqual(
    [3, 6, 15, 42, 60, 66, 67].map((code) => offer?.message.options.has(code)),
    Array(7).fill(false),
  );
});

test("requests through a relay get addresses of the relay's subnet, and none if the relay has no subnet", async (t) => {
  const site = dhcpSite(t, { subnets: [SUBNET, '10.1.0.0/24 range=10.1.0.10-10.1.0.20 router=10.1.0.1'] });
  site.enrol(A);
  const through = (relay: string) => site.say(requestOf(A, 'discover', { relay: ip(relay) }));
  assert.deepEqual(brief(await through('10.1.0.1')), ['offer 10.1.0.10 to 10.1.0.1:67']);
  assert.deepEqual(await through('10.2.0.1'), []);
  assert.equal(
    site.events.at(-1)?.text,
    'gets no answer: no subnet of [dhcp_server] contains the relay 10.2.0.1 (os)',
  );
  const refused = await site.say(
    requestOf(A, 'request', { relay: ip('10.1.0.1'), options: [[50, addressesValue([ip('10.0.0.50')])]] }),
  );
  assert.deepEqual(brief(refused), ['refuse 0.0.0.0 to 10.1.0.1:67']);
  assert.equal(refused[0]?.message.flags, 0x8000, 'the relay must broadcast it');
});

test('a client that renews without its relay keeps its subnet, and is answered at its address', async (t) => {
  const site = dhcpSite(t, { subnets: [SUBNET, '10.1.0.0/24 range=10.1.0.10-10.1.0.20'] });
  site.enrol(A);
  await site.say(requestOf(A, 'discover', { relay: ip('10.1.0.1') }));
  await site.say(requestOf(A, 'request', { relay: ip('10.1.0.1'), options: choosing('10.1.0.10') }));
  const renewed = await site.say(requestOf(A, 'request', { clientAddress: ip('10.1.0.10') }));
  assert.deepEqual(brief(renewed), ['acknowledge 10.1.0.10 to 10.1.0.10:68']);
});

test('a machine that asks for its earlier address gets that address, or is told to drop it', async (t) => {
  const site = dhcpSite(t);
  for (const client of [A, B]) site.enrol(client);
  const remembers = async (client: string, address: string) =>
    brief(
      await site.say(requestOf(client, 'request', { options: [[50, addressesValue([ip(address)])]] })),
    )[0];
  assert.equal(await remembers(A, '10.0.0.55'), 'acknowledge 10.0.0.55 to 255.255.255.255:68');
  const refused = 'refuse 0.0.0.0 to 255.255.255.255:68';
  assert.equal(await remembers(B, '10.0.0.55'), refused, 'it is taken');
  assert.equal(await remembers(B, '10.9.9.9'), refused, 'it is elsewhere');
  assert.equal(await remembers(B, '10.0.0.7'), refused, 'it is in no range');
  assert.equal(await remembers(B, '10.0.0.1'), refused, "it is the server's");
  assert.equal(site.events.at(-1)?.text, 'must drop its address: 10.0.0.1 is not free for this machine');
});

test("a machine that renews another's address is told to drop it, by broadcast", async (t) => {
  const site = dhcpSite(t);
  for (const client of [A, B]) site.enrol(client);
  await site.boot(A);
  const [refused] = await site.say(requestOf(B, 'request', { clientAddress: ip('10.0.0.50') }));
  assert.deepEqual(brief([refused!]), ['refuse 0.0.0.0 to 255.255.255.255:68']);
  assert.equal(refused?.message.clientAddress, 0);
});

test('a machine may release only its own address, and gets the same address again', async (t) => {
  const site = dhcpSite(t);
  for (const client of [A, B]) site.enrol(client);
  await site.boot(A);
  await site.say(requestOf(B, 'release', { clientAddress: ip('10.0.0.50') }));
  assert.equal(site.leases.addressOf(A), ip('10.0.0.50'));
  assert.deepEqual(await site.say(requestOf(A, 'release', { clientAddress: ip('10.0.0.50') })), []);
  assert.equal(site.leases.addressOf(A), undefined);
  assert.equal(await site.boot(A), '10.0.0.50');
});

test('an address that a machine found in use is offered to no machine for ten minutes', async (t) => {
  const site = dhcpSite(t, { subnets: ['10.0.0.0/24 range=10.0.0.50-10.0.0.51 interface=br0'] });
  for (const client of [A, B]) site.enrol(client);
  assert.equal(await site.boot(A), '10.0.0.50');
  await site.say(requestOf(B, 'decline', { options: choosing('10.0.0.50') }));
  assert.equal(
    site.leases.addressOf(A),
    ip('10.0.0.50'),
    'only the machine that has the address may decline it',
  );
  await site.say(requestOf(A, 'decline', { options: choosing('10.0.0.50') }));
  assert.equal(await site.boot(A), '10.0.0.51');
  assert.equal(await site.boot(B), undefined);
  assert.equal(await site.restart().boot(B), undefined, 'also after a restart');
  await site.clock.advance(600_000);
  assert.equal(await site.boot(B), '10.0.0.50');
});

test('a client that sends INFORM for the address that it has gets the settings and no lease', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  const [ack] = await site.say(requestOf(A, 'inform', { clientAddress: ip('10.0.0.9') }));
  assert.deepEqual(brief([ack!]), ['acknowledge 0.0.0.0 to 10.0.0.9:68']);
  assert.deepEqual([ack?.message.options.has(51), hex(ack, 3)], [false, '0a0000fe']);
  assert.match(site.events.at(-1)?.text ?? '', /^gets settings for its address 10\.0\.0\.9 /);
  assert.deepEqual(await site.say(requestOf(A, 'inform', { clientAddress: ip('192.0.2.9') })), []);
});

const failing = () => {
  throw new Error('disk full');
};

test('an acknowledgement is not sent when its lease cannot be stored', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  await site.say(requestOf(A, 'discover'));
  const { db } = site;
  const transaction = db.transaction.bind(db);
  Object.assign(site.db, { transaction: failing });
  assert.deepEqual(await site.say(requestOf(A, 'request', { options: choosing('10.0.0.50') })), []);
  assert.match(site.warnings.join(), /leases cannot be stored/);
  assert.equal(site.leases.addressOf(A), undefined);
  Object.assign(site.db, { transaction });
  assert.equal(await site.boot(A), '10.0.0.50');
});

test('the leases given in one turn of the event loop are stored in one transaction', async (t) => {
  const site = dhcpSite(t, { knownMachinesOnly: false });
  const { db } = site;
  const transaction = db.transaction.bind(db);
  let transactions = 0;
  Object.assign(site.db, {
    transaction(work: () => unknown) {
      transactions += 1;
      return transaction(work);
    },
  });
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, number) =>
      site.say(requestOf(mac(number), 'request', { options: choosing(`10.0.0.${50 + number}`) })),
    ),
  );
  assert.equal(answers.flat().length, 10);
  assert.equal(transactions, 1);
});

test('a client cannot direct replies at another host by claiming the address of that host', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  const claiming = { clientAddress: ip('192.0.2.1') };
  const everybody = '255.255.255.255:68';
  const [offer] = await site.say(requestOf(A, 'discover', claiming));
  const [ack] = await site.say(requestOf(A, 'request', { ...claiming, options: choosing('10.0.0.50') }));
  assert.deepEqual([offer?.to, ack?.to], [everybody, everybody]);
});
