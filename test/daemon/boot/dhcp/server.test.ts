import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, addressesValue, optionCode, textOf } from '../../../../daemon/boot/dhcp/options.ts';
import {
  BIOS,
  choosing,
  dhcpSite,
  firmware,
  IPXE,
  ip,
  mac,
  requestOf,
  type Sent,
  SUBNET,
  UEFI,
  UEFI_HTTP,
} from '../../../fakes/dhcp-site.ts';
import { ipv4Text } from '../../../../daemon/lib/ipv4.ts';

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

test('settings that are not configured are left out', async (t) => {
  const site = dhcpSite(t, { subnets: ['10.0.0.0/24 range=10.0.0.50-10.0.0.59 interface=br0'] });
  site.enrol(A);
  const [offer] = await site.say(requestOf(A, 'discover'));
  assert.deepEqual(
    [3, 6, 15, 42, 60, 66, 67].map((code) => offer?.message.options.has(code)),
    Array(7).fill(false),
  );
});

test('each kind of client is told its boot file, in offer and acknowledgement alike', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  const told = async (words: typeof BIOS) => {
    const [offer] = await site.say(requestOf(A, 'discover', { options: words }));
    const [ack] = await site.say(requestOf(A, 'request', { options: [...words, ...choosing('10.0.0.50')] }));
    const of = ({ message: { options, file, nextServer } }: Sent) => ({
      file,
      nextServer: ipv4Text(nextServer),
      67: textOf(options, 67),
      66: textOf(options, 66),
      150: addressOf(options, 150),
      60: textOf(options, 60),
      43: options.has(43),
    });
    assert.deepEqual(of(offer!), of(ack!));
    return of(offer!);
  };
  const byTftp = (file: string) => ({
    file,
    nextServer: '10.0.0.1',
    67: file,
    66: '10.0.0.1',
    150: ip('10.0.0.1'),
    60: undefined,
    43: false,
  });
  const byHttp = (url: string, vendorClass?: string) => ({
    file: url,
    nextServer: '10.0.0.1',
    67: url,
    66: undefined,
    150: undefined,
    60: vendorClass,
    43: false,
  });
  assert.deepEqual(await told(BIOS), byTftp('undionly.kpxe'));
  assert.deepEqual(await told(UEFI), byTftp('snponly.efi'));
  assert.deepEqual(await told(UEFI_HTTP), byHttp('http://10.0.0.1/snponly.efi', 'HTTPClient'));
  assert.deepEqual(await told(IPXE), byHttp('http://10.0.0.1/boot.ipxe'));
});

test('iPXE is told not to wait for ProxyDHCP servers', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  const [offer] = await site.say(requestOf(A, 'discover', { options: IPXE }));
  assert.equal(hex(offer, optionCode.ipxe), 'b00101');
});

test('what clients and relays want back is sent back unchanged, the relay option last', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  const id = Uint8Array.of(0, ...Buffer.from('0123456789abcdef'));
  const relayed = [
    [optionCode.relayAgent, Uint8Array.of(1, 3, 9, 9, 9)],
    [optionCode.machineId, id],
    [optionCode.clientId, Uint8Array.of(1, 2, 3)],
  ] as const;
  const [offer] = await site.say(
    requestOf(A, 'discover', { relay: ip('10.0.0.254'), flags: 0x8000, options: relayed }),
  );
  assert.deepEqual(brief([offer!]), ['offer 10.0.0.50 to 10.0.0.254:67']);
  assert.deepEqual([hex(offer, 97), hex(offer, 61)], [Buffer.from(id).toString('hex'), '010203']);
  assert.equal(offer?.message.flags, 0x8000);
  assert.ok(Buffer.from(offer!.bytes).includes(Buffer.from('5205' + '0103090909' + 'ff', 'hex')));
});

test('a relay gets addresses of its own subnet, and none without one', async (t) => {
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

test('a client that renews past its relay keeps its subnet, and is answered at its address', async (t) => {
  const site = dhcpSite(t, { subnets: [SUBNET, '10.1.0.0/24 range=10.1.0.10-10.1.0.20'] });
  site.enrol(A);
  await site.say(requestOf(A, 'discover', { relay: ip('10.1.0.1') }));
  await site.say(requestOf(A, 'request', { relay: ip('10.1.0.1'), options: choosing('10.1.0.10') }));
  const renewed = await site.say(requestOf(A, 'request', { clientAddress: ip('10.1.0.10') }));
  assert.deepEqual(brief(renewed), ['acknowledge 10.1.0.10 to 10.1.0.10:68']);
});

test('machines that no port names are not answered, and that is said once an hour', async (t) => {
  const site = dhcpSite(t);
  for (let time = 0; time < 3; time += 1) assert.deepEqual(await site.say(requestOf(A, 'discover')), []);
  assert.deepEqual(site.events, [
    { hop: 'dhcp', mac: A, text: 'gets no answer: no port has this MAC address (os)', failed: true },
  ]);
  site.enrol(A);
  assert.equal(await site.boot(A), '10.0.0.50', 'a new port counts at once');
  await site.clock.advance(3_600_000);
  assert.equal(await dhcpSite(t, { knownMachinesOnly: false }).boot(B), '10.0.0.50');
});

test('firmware with nothing to boot gets no answer, an operating system on the same port does', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A, { boot: 'no-boot' });
  site.enrol(B, { pxe_enabled: false });
  for (const client of [A, B]) assert.equal(await site.boot(client, UEFI), undefined);
  assert.deepEqual(
    site.events.map(({ text }) => text),
    [
      'gets no answer: there is nothing to boot (uefi-pxe)',
      'gets no answer: pxe_enabled of its port is false (uefi-pxe)',
    ],
  );
  assert.deepEqual([await site.boot(A), await site.boot(B)], ['10.0.0.50', '10.0.0.51']);
});

test('firmware without a boot loader is named', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  assert.deepEqual(await site.say(requestOf(A, 'discover', { options: firmware('PXEClient', 6) })), []);
  assert.match(site.events[0]?.text ?? '', /no boot loader for firmware of architecture type 6/);
});

test('a machine that remembers its address gets it, or is told to drop one that it may not have', async (t) => {
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
  assert.equal(site.events.at(-1)?.text, 'must drop its address: 10.0.0.1 is not for this machine');
});

test("a machine that renews another's address is told to drop it, at everybody's address", async (t) => {
  const site = dhcpSite(t);
  for (const client of [A, B]) site.enrol(client);
  await site.boot(A);
  const [refused] = await site.say(requestOf(B, 'request', { clientAddress: ip('10.0.0.50') }));
  assert.deepEqual(brief([refused!]), ['refuse 0.0.0.0 to 255.255.255.255:68']);
  assert.equal(refused?.message.clientAddress, 0);
});

test("a machine that takes another server's offer is left alone, and that server is reported once", async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  await site.say(requestOf(A, 'discover'));
  for (let time = 0; time < 2; time += 1)
    assert.deepEqual(
      await site.say(requestOf(A, 'request', { options: choosing('10.0.0.77', '10.0.0.9') })),
      [],
    );
  assert.equal(site.leases.of(A), undefined, 'the offer is free again');
  assert.deepEqual(site.events.at(-1), {
    hop: 'dhcp',
    address: '10.0.0.9',
    text: 'another DHCP server, 10.0.0.9, gives addresses on br0',
    failed: true,
  });
  assert.deepEqual(site.warnings, [
    'DHCP: another DHCP server, 10.0.0.9, gives addresses on br0. Machines may boot what it says: switch it off, or set [dhcp_server] mode = proxy',
  ]);
});

test('the offer of another server to the search for it is reported, that of a ProxyDHCP server is not', async (t) => {
  const site = dhcpSite(t);
  const reply = (yourAddress: string, server: string) =>
    requestOf(mac(9), 'offer', {
      op: 'reply',
      yourAddress: ip(yourAddress),
      options: [[optionCode.serverId, addressesValue([ip(server)])]],
    });
  await site.say(reply('0.0.0.0', '10.0.0.8'));
  assert.deepEqual(site.warnings, []);
  await site.say(reply('10.0.0.200', '10.0.0.9'));
  assert.match(site.warnings.join(), /another DHCP server, 10\.0\.0\.9/);
});

test('a machine may release only what it has, and gets the same address again', async (t) => {
  const site = dhcpSite(t);
  for (const client of [A, B]) site.enrol(client);
  await site.boot(A);
  await site.say(requestOf(B, 'release', { clientAddress: ip('10.0.0.50') }));
  assert.equal(site.leases.addressOf(A), ip('10.0.0.50'));
  assert.deepEqual(await site.say(requestOf(A, 'release', { clientAddress: ip('10.0.0.50') })), []);
  assert.equal(site.leases.addressOf(A), undefined);
  assert.equal(await site.boot(A), '10.0.0.50');
});

test('an address that a machine found in use is given to nobody for ten minutes', async (t) => {
  const site = dhcpSite(t, { subnets: ['10.0.0.0/24 range=10.0.0.50-10.0.0.51 interface=br0'] });
  for (const client of [A, B]) site.enrol(client);
  assert.equal(await site.boot(A), '10.0.0.50');
  await site.say(requestOf(B, 'decline', { options: choosing('10.0.0.50') }));
  assert.equal(site.leases.addressOf(A), ip('10.0.0.50'), 'only the machine that has it may say so');
  await site.say(requestOf(A, 'decline', { options: choosing('10.0.0.50') }));
  assert.equal(await site.boot(A), '10.0.0.51');
  assert.equal(await site.boot(B), undefined);
  assert.equal(await site.restart().boot(B), undefined, 'also after a restart');
  await site.clock.advance(600_000);
  assert.equal(await site.boot(B), '10.0.0.50');
});

test('a client with an address of its own is told the settings and gets no lease', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  const [ack] = await site.say(requestOf(A, 'inform', { clientAddress: ip('10.0.0.9') }));
  assert.deepEqual(brief([ack!]), ['acknowledge 0.0.0.0 to 10.0.0.9:68']);
  assert.deepEqual([ack?.message.options.has(51), hex(ack, 3)], [false, '0a0000fe']);
  assert.deepEqual(await site.say(requestOf(A, 'inform', { clientAddress: ip('192.0.2.9') })), []);
});

test('a full pool is answered with silence and one warning', async (t) => {
  const site = dhcpSite(t);
  for (let number = 0; number < 13; number += 1) site.enrol(mac(number));
  for (let number = 0; number < 10; number += 1) assert.ok(await site.boot(mac(number)));
  for (const number of [10, 11, 12, 10]) assert.equal(await site.boot(mac(number)), undefined);
  assert.deepEqual(site.warnings, [
    'DHCP: all addresses of 10.0.0.0/24 are taken; extend the range in [dhcp_server] subnet, or shorten lease_time',
  ]);
  await site.clock.advance(3_600_000);
  assert.ok(await site.boot(mac(10)), 'leases that are over make room');
});

test('an address that a host uses is not given away, and the host is named', async (t) => {
  const site = dhcpSite(t, { neighbours: { '10.0.0.50': mac(77), '10.0.0.51': A } });
  site.enrol(A);
  assert.equal(await site.boot(A), '10.0.0.51', 'its own address, left from before, is no conflict');
  assert.deepEqual(site.events[0], {
    hop: 'dhcp',
    mac: A,
    text: `does not get 10.0.0.50: ${mac(77)} uses that address`,
    failed: true,
  });
});

test('looking for hosts delays the first offer by 0.1 s and no later one', async (t) => {
  const site = dhcpSite(t, { neighbours: {} });
  site.enrol(A);
  const before = site.clock.monotonic();
  await site.say(requestOf(A, 'discover'));
  assert.equal(site.clock.monotonic() - before, 100);
  await site.say(requestOf(A, 'discover'));
  await site.boot(A);
  assert.equal(site.clock.monotonic() - before, 100);
});

test('a machine that boots in circles is named', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  for (let time = 0; time < 7; time += 1) await site.boot(A, UEFI);
  const circle =
    'was told to boot snponly.efi as uefi-pxe 5 times in 1 min: it boots in circles, or cannot load or start that file';
  assert.deepEqual(site.warnings, [`DHCP: a machine ${circle}`]);
  assert.deepEqual(
    site.events.filter(({ failed }) => failed),
    [{ hop: 'dhcp', mac: A, text: circle, failed: true }],
  );
});

test('events say what a machine was offered and got', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  await site.boot(A, UEFI);
  assert.deepEqual(site.events, [
    { hop: 'dhcp', mac: A, text: 'is offered 10.0.0.50 and snponly.efi (uefi-pxe)' },
    { hop: 'dhcp', mac: A, address: '10.0.0.50', text: 'gets 10.0.0.50 and snponly.efi (uefi-pxe)' },
  ]);
});

test('an acknowledgement is not sent when its lease cannot be stored', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  await site.say(requestOf(A, 'discover'));
  const { transaction } = site.db;
  const failing = () => {
    throw new Error('disk full');
  };
  Object.assign(site.db, { transaction: failing });
  assert.deepEqual(await site.say(requestOf(A, 'request', { options: choosing('10.0.0.50') })), []);
  assert.match(site.warnings.join(), /leases cannot be stored/);
  assert.equal(site.leases.addressOf(A), undefined);
  Object.assign(site.db, { transaction });
  assert.equal(await site.boot(A), '10.0.0.50');
});

test('requests of one turn of the event loop are stored in one transaction', async (t) => {
  const site = dhcpSite(t, { knownMachinesOnly: false });
  const { transaction } = site.db;
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

test('its own search for other servers is not answered', async (t) => {
  const site = dhcpSite(t, { knownMachinesOnly: false });
  assert.deepEqual(await site.say(requestOf(A, 'discover', { relay: ip('10.0.0.1'), hops: 1 })), []);
  assert.deepEqual(site.events, []);
});

test('an address that a client claims to have does not direct replies at others', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  const claiming = { clientAddress: ip('192.0.2.1') };
  const everybody = '255.255.255.255:68';
  const [offer] = await site.say(requestOf(A, 'discover', claiming));
  const [ack] = await site.say(requestOf(A, 'request', { ...claiming, options: choosing('10.0.0.50') }));
  assert.deepEqual([offer?.to, ack?.to], [everybody, everybody]);
});
