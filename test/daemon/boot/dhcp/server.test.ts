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

const ONE = '10.0.0.0/24 range=10.0.0.50-10.0.0.50 interface=br0';

test('a released address stays with its machine, unless another one needs it and no host answers for it', async (t) => {
  const neighbours: Record<string, string> = { '10.0.0.50': A };
  const site = dhcpSite(t, { subnets: [ONE], neighbours });
  for (const client of [A, B]) site.enrol(client);
  await site.boot(A);
  await site.say(requestOf(B, 'release', { clientAddress: ip('10.0.0.50') }));
  assert.equal(site.events.at(-1)?.text, 'gets no answer: it releases an address that it does not have (os)');
  assert.deepEqual(await site.say(requestOf(A, 'release', { clientAddress: ip('10.0.0.50') })), []);
  assert.equal(await site.boot(B), undefined, 'somebody else sent the release');
  const [renewed] = await site.say(requestOf(A, 'request', { clientAddress: ip('10.0.0.50') }));
  assert.equal(renewed?.type, 'acknowledge');
  await site.say(requestOf(A, 'release', { clientAddress: ip('10.0.0.50') }));
  delete neighbours['10.0.0.50'];
  assert.equal(await site.boot(B), '10.0.0.50');
});

test('nobody can move a machine to another address by a request in its name', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  await site.boot(A);
  const [refused] = await site.say(
    requestOf(A, 'request', { options: [[50, addressesValue([ip('10.0.0.55')])]] }),
  );
  assert.equal(refused?.type, 'refuse');
  assert.equal(site.events.at(-1)?.text, 'must drop its address: it has 10.0.0.50, not 10.0.0.55');
  assert.equal(site.leases.addressOf(A), ip('10.0.0.50'));
});

const TWO = '10.0.0.0/24 range=10.0.0.50-10.0.0.51 interface=br0';

test('an address that a machine declines is offered to no machine for ten minutes if a host answers for it', async (t) => {
  const neighbours: Record<string, string> = {};
  const site = dhcpSite(t, { subnets: [TWO], neighbours });
  for (const client of [A, B]) site.enrol(client);
  assert.equal(await site.boot(A), '10.0.0.50');
  neighbours['10.0.0.50'] = mac(77);
  await site.say(requestOf(B, 'decline', { options: choosing('10.0.0.50') }));
  assert.equal(
    site.leases.addressOf(A),
    ip('10.0.0.50'),
    'only the machine that has the address may decline it',
  );
  await site.say(requestOf(A, 'decline', { options: choosing('10.0.0.50') }));
  assert.equal(site.events.at(-1)?.text, `does not get 10.0.0.50: ${mac(77)} uses that address`);
  assert.equal(await site.boot(A), '10.0.0.51');
  assert.equal(await site.boot(B), undefined);
  assert.equal(await site.restart().boot(B), undefined, 'also after a restart');
  delete neighbours['10.0.0.50'];
  assert.equal(await site.boot(B), '10.0.0.50', 'the address is probed again, because no other is left');
});

test('an address that a machine declines although no host answers for it is kept from that machine only', async (t) => {
  const site = dhcpSite(t, { subnets: [TWO], neighbours: {} });
  for (const client of [A, B]) site.enrol(client);
  await site.boot(A);
  await site.say(requestOf(A, 'decline', { options: choosing('10.0.0.50') }));
  assert.equal(await site.boot(A), '10.0.0.51');
  assert.equal(await site.boot(B), '10.0.0.50');
});

test('a DECLINE counts only just after the lease began, and never from a machine that uses the address', async (t) => {
  const neighbours: Record<string, string> = {};
  const site = dhcpSite(t, { neighbours });
  site.enrol(A);
  await site.boot(A);
  neighbours['10.0.0.50'] = A;
  await site.say(requestOf(A, 'decline', { options: choosing('10.0.0.50') }));
  assert.equal(site.events.at(-1)?.text, 'gets no answer: it declines 10.0.0.50 but uses it');
  delete neighbours['10.0.0.50'];
  await site.clock.advance(30_000);
  await site.say(requestOf(A, 'decline', { options: choosing('10.0.0.50') }));
  assert.match(site.events.at(-1)?.text ?? '', /it declines an address that it has not just got/);
  assert.equal(site.leases.addressOf(A), ip('10.0.0.50'));
});

test('a machine that declines every address takes none from the others, also across restarts', async (t) => {
  let site = dhcpSite(t, { neighbours: {} });
  for (const client of [A, B]) site.enrol(client);
  for (let round = 0; round < 3; round += 1) {
    const declined = new Set<string>();
    for (let time = 0; time < 50; time += 1) {
      const address = (await site.boot(A)) ?? '';
      declined.add(address);
      await site.say(requestOf(A, 'decline', { options: choosing(address) }));
    }
    assert.equal(declined.size, 5, 'after four addresses it is not believed');
    const taken = site.db.dhcpLeases.list().filter(({ expires_at: until }) => until > site.clock.now());
    assert.deepEqual([...new Set(taken.map((lease) => lease.mac))], [A]);
    site = site.restart();
  }
  assert.ok(await site.boot(B));
});

const STRANGERS = 400;

test('offers that no machine takes, and leases that no machine uses, leave addresses to machines with a port', async (t) => {
  for (const asks of ['discover', 'boot'] as const) {
    const neighbours: Record<string, string> = {};
    const site = dhcpSite(t, { knownMachinesOnly: false, neighbours });
    const alive = mac(5000);
    const ofAlive = (await site.boot(alive)) ?? '';
    neighbours[ofAlive] = alive;
    for (let number = 0; number < STRANGERS; number += 1)
      await (asks === 'boot' ? site.boot(mac(1000 + number)) : site.say(requestOf(mac(1000 + number), asks)));
    const known = Array.from({ length: 9 }, (_, number) => mac(number));
    for (const client of known) site.enrol(client);
    const given = [];
    for (const client of known) given.push(await site.boot(client));
    assert.equal(new Set(given).size, 9, given.join());
    assert.ok(!given.includes(ofAlive) && !given.includes(undefined));
    assert.equal(await site.boot(alive), ofAlive, 'a machine that uses its address keeps it');
  }
});

test('where addresses are not probed, a lease is not taken from its machine, but an offer is', async (t) => {
  const site = dhcpSite(t, { subnets: [TWO], knownMachinesOnly: false });
  await site.boot(mac(1000));
  await site.say(requestOf(mac(1001), 'discover'));
  for (const client of [A, B]) site.enrol(client);
  assert.equal(await site.boot(A), '10.0.0.51');
  assert.equal(await site.boot(B), undefined);
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

test('a machine does not get a reserved address that belongs to the server, the router or nobody, however it was stored', async (t) => {
  const site = dhcpSite(t);
  for (const [index, address] of ['10.0.0.1', '10.0.0.254', '10.0.0.0', '10.0.0.255'].entries()) {
    const client = mac(20 + index);
    site.enrol(client, { extra: { ipv4_address: address } });
    assert.deepEqual(brief(await site.say(requestOf(client, 'discover'))), [
      `offer 10.0.0.${50 + index} to 255.255.255.255:68`,
    ]);
    const asked = { options: choosing(address) };
    assert.deepEqual(brief(await site.say(requestOf(client, 'request', asked))), [
      'refuse 0.0.0.0 to 255.255.255.255:68',
    ]);
  }
});
