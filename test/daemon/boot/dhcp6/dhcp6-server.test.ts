// What the DHCPv6 server answers, with a real database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dhcp6Code, encodeDhcp6, encodeRelayed, optionIn } from '../../../../daemon/boot/dhcp6/dhcp6-wire.ts';
import { linkLocalOf } from '../../../fakes/dhcp6/dhcp6-network.ts';
import {
  association,
  dhcp6Site,
  firmware6,
  ip6,
  IPXE6,
  messageOf,
  SERVER_ID,
  SUBNET6,
  toServer,
  UEFI6,
  UEFI_HTTP6,
} from '../../../fakes/dhcp6/dhcp6-site.ts';
import { mac } from '../../../fakes/boot/dhcp-site.ts';

const RAPID = { code: dhcp6Code.rapidCommit, value: new Uint8Array() };
const otherServer = { code: dhcp6Code.serverId, value: Buffer.from('other') };
const status = (value: Uint8Array | undefined) => value && Buffer.from(value).readUInt16BE(0);

type Site = ReturnType<typeof dhcp6Site>;

const urlFor = async (site: Site, options: Parameters<Site['boot']>[1]) =>
  (await site.boot(mac(9), options))?.text(dhcp6Code.bootFileUrl);

/** The option by which a client asks for others. */
const ask = (...codes: readonly number[]) => ({
  code: dhcp6Code.optionRequest,
  value: Uint8Array.from(codes.flatMap((code) => [0, code])),
});

test('a machine gets an address by SOLICIT and REQUEST, the same again, and the lease is on disk', async (t) => {
  const site = dhcp6Site(t);
  site.enrol(mac(1));
  const [offer] = await site.say(messageOf(mac(1), 'solicit'));
  assert.deepEqual([offer?.type, offer?.address, offer?.to], ['advertise', '2001:db8::50', '[fe80::1]:546']);
  assert.equal(offer?.text(dhcp6Code.preference), '\u00ff');
  assert.equal(site.db.dhcp6Leases.list().length, 0, 'an offer is no lease');
  const answer = await site.boot(mac(1));
  assert.deepEqual([answer?.type, answer?.address], ['reply', '2001:db8::50']);
  assert.equal(site.stored().addressOf(mac(1)), ip6('2001:db8::50'));
  assert.equal((await site.boot(mac(1)))?.address, '2001:db8::50');
  assert.equal(await site.boot(mac(2)), undefined, 'no port has its MAC address');
});

test('a client that asks for rapid commit gets its address in answer to its first message', async (t) => {
  const site = dhcp6Site(t);
  site.enrol(mac(1));
  const [answer] = await site.say(messageOf(mac(1), 'solicit', [association(), RAPID]));
  assert.deepEqual([answer?.type, answer?.address], ['reply', '2001:db8::50']);
  assert.notEqual(answer && optionIn(answer.message.options, dhcp6Code.rapidCommit), undefined);
  assert.equal(site.stored().addressOf(mac(1)), ip6('2001:db8::50'));
});

test('firmware and iPXE get a URL by what they are, and an unknown architecture gets nothing', async (t) => {
  const site = dhcp6Site(t);
  site.enrol(mac(1));
  const url = async (options: Parameters<typeof site.boot>[1]) =>
    (await site.boot(mac(1), options))?.text(dhcp6Code.bootFileUrl);
  assert.equal(await url(UEFI6), 'tftp://[2001:db8::1]/snponly.efi');
  assert.equal(await url(firmware6('PXEClient', 11)), 'tftp://[2001:db8::1]/snponly-arm64.efi');
  assert.equal(await url(IPXE6), 'http://[2001:db8::1]:8080/boot.ipxe');
  assert.equal(await url([]), undefined);
  const byHttp = await site.boot(mac(1), UEFI_HTTP6);
  assert.equal(byHttp?.text(dhcp6Code.bootFileUrl), 'http://[2001:db8::1]:8080/snponly.efi');
  assert.equal(byHttp?.text(dhcp6Code.vendorClass), '\0\0\u0001\u0057\0\nHTTPClient');
  assert.equal(await site.boot(mac(1), firmware6('PXEClient', 6)), undefined);
});

test('the MAC address is that of the relay, of the link-local address or of the client identifier, in this order', async (t) => {
  const site = dhcp6Site(t, { knownMachinesOnly: false });
  const macOf = async (text: string, from: string, relayed?: string) => {
    const solicit = encodeDhcp6(messageOf(text, 'solicit'));
    const options =
      relayed === undefined
        ? []
        : [
            {
              code: dhcp6Code.linkLayerAddress,
              value: Buffer.from(`0001${relayed.replaceAll(':', '')}`, 'hex'),
            },
          ];
    const hop = { hops: 0, link: ip6('2001:db8::fe'), peer: ip6(from), options };
    await site.say(relayed === undefined ? solicit : encodeRelayed('relayForward', [hop], solicit), from);
    return site.events.at(-1)?.mac;
  };
  assert.equal(await macOf(mac(1), 'fe80::1'), mac(1));
  assert.equal(await macOf(mac(1), linkLocalOf(mac(2))), mac(2));
  assert.equal(await macOf(mac(1), linkLocalOf(mac(2)), mac(3)), mac(3));
});

test('an answer goes through the relays that passed the request on, and the address is of their network', async (t) => {
  const site = dhcp6Site(t, { subnets: [SUBNET6, '2001:db8:7::/64 range=2001:db8:7::10-2001:db8:7::19'] });
  site.enrol(mac(1));
  const port = { code: dhcp6Code.interfaceId, value: Buffer.from('port 7') };
  const hops = [
    { hops: 1, link: 0n, peer: ip6('2001:db8:7::1'), options: [] },
    { hops: 0, link: ip6('2001:db8:7::1'), peer: ip6('fe80::9'), options: [port] },
  ];
  const request = encodeDhcp6(messageOf(mac(1), 'solicit'));
  const [answer] = await site.say(encodeRelayed('relayForward', hops, request), '2001:db8::99');
  assert.deepEqual([answer?.address, answer?.to], ['2001:db8:7::10', '[2001:db8::99]:547']);
  assert.deepEqual(
    answer?.relays.map(({ hops: count, peer, options }) => [count, peer, optionIn(options, port.code)]),
    [
      [1, ip6('2001:db8:7::1'), undefined],
      [0, ip6('fe80::9'), port.value],
    ],
  );
  const unknown = [{ hops: 0, link: ip6('2001:db8:8::1'), peer: ip6('fe80::9'), options: [] }];
  assert.deepEqual(await site.say(encodeRelayed('relayForward', unknown, request), '2001:db8::99'), []);
});

test('nobody outside the link and its relays gets an answer, and nobody who names another server', async (t) => {
  const site = dhcp6Site(t);
  site.enrol(mac(1));
  assert.deepEqual(await site.say(messageOf(mac(1), 'solicit'), '2001:db8:9::1'), []);
  assert.deepEqual(await site.say(messageOf(mac(1), 'solicit', [association(), toServer])), []);
  assert.deepEqual(await site.say(messageOf(mac(1), 'renew', [association(), otherServer])), []);
  assert.equal(site.searches(), 1, 'who names another server makes this one look for it');
  await site.say(messageOf(mac(1), 'solicit'));
  assert.deepEqual(await site.say(messageOf(mac(1), 'request', [association(), otherServer])), []);
  assert.equal(site.leases.of(mac(1)), undefined, 'the client took the other offer');
});

test('a machine keeps its address by RENEW and REBIND, and drops one that it does not have', async (t) => {
  const site = dhcp6Site(t);
  site.enrol(mac(1));
  site.enrol(mac(2));
  await site.boot(mac(1));
  await site.boot(mac(2));
  await site.clock.advance(1_800_000);
  const own = association(['2001:db8::50']);
  const [renewed] = await site.say(messageOf(mac(1), 'renew', [own, toServer]));
  assert.equal(renewed?.address, '2001:db8::50');
  const [moved] = await site.say(messageOf(mac(1), 'rebind', [association(['2001:db8::51'])]));
  assert.equal(moved?.address, '2001:db8::50', "the other machine's address is not given away");
  const answer = moved && optionIn(moved.message.options, dhcp6Code.identityAssociation);
  assert.equal(Buffer.from(answer ?? []).readUInt32BE(64), 0, 'the other address has no lifetime');
  const [second] = await site.say(messageOf(mac(1), 'solicit', [association([], 1), association([], 2)]));
  assert.equal(second?.message.options.filter(({ code }) => code === 3).length, 2);
});

test('CONFIRM says whether addresses are of the network', async (t) => {
  const site = dhcp6Site(t);
  site.enrol(mac(1));
  const confirm = async (...addresses: readonly string[]) => {
    const [answer] = await site.say(messageOf(mac(1), 'confirm', [association(addresses)]));
    return answer && status(optionIn(answer.message.options, dhcp6Code.statusCode));
  };
  assert.equal(await confirm('2001:db8::50'), 0);
  assert.equal(await confirm('2001:db8:9::50'), 4);
  assert.equal(await confirm(), undefined);
});

test('RELEASE and DECLINE end nothing of other machines', async (t) => {
  const site = dhcp6Site(t);
  for (const number of [1, 2]) site.enrol(mac(number));
  await site.boot(mac(1));
  await site.boot(mac(2));
  for (const type of ['release', 'decline'] as const) {
    const [answer] = await site.say(messageOf(mac(2), type, [association(['2001:db8::50']), toServer]));
    const inner = answer && optionIn(answer.message.options, dhcp6Code.identityAssociation);
    assert.equal(status(inner?.subarray(16)), 3, 'it has no such address');
  }
  assert.equal(site.leases.addressOf(mac(1)), ip6('2001:db8::50'));
  await site.say(messageOf(mac(1), 'decline', [association(['2001:db8::50']), toServer]));
  assert.equal(site.leases.addressOf(mac(1)), undefined);
  assert.notEqual((await site.boot(mac(1)))?.address, '2001:db8::50', 'not for ten minutes');
});

test('firmware and iPXE without a port boot where unknown machines are wanted', async (t) => {
  const site = dhcp6Site(t, { knownMachinesOnly: false });
  assert.equal(await urlFor(site, UEFI6), 'tftp://[2001:db8::1]/snponly.efi');
  assert.equal(await urlFor(site, IPXE6), 'http://[2001:db8::1]:8080/boot.ipxe');
  assert.equal(await urlFor(dhcp6Site(t), UEFI6), undefined);
});

test('INFORMATION-REQUEST gets the settings that it asks for', async (t) => {
  const site = dhcp6Site(t, { subnets: ['2001:db8::/64 dns=2001:db8::2 domain=rack.example interface=br0'] });
  site.enrol(mac(1));
  const [answer] = await site.say(messageOf(mac(1), 'informationRequest', [ask(24, 59), ...UEFI6]));
  assert.equal(answer?.text(dhcp6Code.domainList), '\u0004rack\u0007example\0');
  assert.equal(answer?.text(dhcp6Code.dns), undefined, 'it did not ask for it');
  assert.equal(answer?.text(dhcp6Code.bootFileUrl), 'tftp://[2001:db8::1]/snponly.efi');
  assert.deepEqual(await site.say(messageOf(mac(1), 'solicit')), [], 'the subnet has no range');
});

test('a machine gets the options of its port and of its subnet that it asks for, and always those with !', async (t) => {
  const options = [
    '{"dhcp6.bootfile-param!": ["a", "b"], "dhcp6.domain-search": ["b.example", "c.example"], "26": 9000}',
  ];
  const site = dhcp6Site(t, { options });
  site.enrol(mac(1), {
    extra: { dhcp_options: { 'dhcp6.dns-servers': '2001:db8::7', 'interface-mtu': 1400 } },
  });
  site.enrol(mac(2), { extra: { dhcp_options: { 'dhcp6.dns': 1 } } });
  const hexOf = async (of: string, asks: readonly number[], code: number) => {
    const answer = await site.boot(of, asks.length === 0 ? [] : [ask(...asks)]);
    return Buffer.from((answer && optionIn(answer.message.options, code)) ?? []).toString('hex');
  };
  assert.equal(await hexOf(mac(1), [59], 60), '000161000162');
  assert.equal(await hexOf(mac(1), [59], 23), '', 'it did not ask for it');
  assert.equal(
    await hexOf(mac(1), [23], 23),
    '20010db8000000000000000000000007',
    'of the port, not of the subnet',
  );
  const domains = '0162076578616d706c65000163076578616d706c6500';
  assert.equal(await hexOf(mac(1), [24], 24), domains, 'instead of domain=');
  assert.equal(await hexOf(mac(1), [31], 31), '20010db8000000000000000000000003', 'ntp= is also SNTP');
  assert.equal(await hexOf(mac(1), [], 26), '', 'an option of IPv4');
  assert.equal(await hexOf(mac(2), [], 24), domains);
  assert.match(
    site.events.map(({ text }) => text).join('\n'),
    /does not get extra\/dhcp_options of its port: "dhcp6.dns" is neither/,
  );
});

test('a reserved address is given, and a full pool is said', async (t) => {
  const site = dhcp6Site(t, {
    subnets: ['2001:db8::/64 range=2001:db8::50-2001:db8::50 interface=br0'],
  });
  site.enrol(mac(1), { extra: { ipv6_address: '2001:db8::9' } });
  site.enrol(mac(2));
  site.enrol(mac(3));
  assert.equal((await site.boot(mac(1)))?.address, '2001:db8::9');
  assert.equal((await site.boot(mac(2)))?.address, '2001:db8::50');
  const [full] = await site.say(messageOf(mac(3), 'solicit'));
  assert.deepEqual([full?.type, full?.address], ['advertise', undefined]);
  const inner = full && optionIn(full.message.options, dhcp6Code.identityAssociation);
  assert.equal(status(inner?.subarray(16)), 2);
  assert.match(site.warnings.join(), /all addresses of 2001:db8::\/64 are taken/);
});

test('only an answer to the search shows another server', async (t) => {
  const site = dhcp6Site(t);
  const hop = { hops: 0, link: ip6('2001:db8::1'), peer: ip6('2001:db8::1'), options: [] };
  const answer = (transactionId: number) =>
    encodeRelayed(
      'relayReply',
      [hop],
      encodeDhcp6({
        type: 2,
        transactionId,
        options: [{ code: dhcp6Code.clientId, value: SERVER_ID }, otherServer],
      }),
    );
  await site.say(answer(0x111), '2001:db8::7');
  assert.deepEqual(site.warnings, []);
  await site.say(answer(0x5ea), '2001:db8::7');
  assert.match(site.warnings.join(), /another DHCP server, 2001:db8::7/);
});

test('a machine without a port that gets an address may be a BMC; firmware and machines with a port are none', async (t) => {
  const site = dhcp6Site(t, { knownMachinesOnly: false });
  site.enrol(mac(1));
  await site.boot(mac(1));
  await site.boot(mac(2), UEFI6);
  await site.boot(mac(3));
  assert.deepEqual(
    site.hints.map(({ mac: of, address }) => [of, address]),
    [[mac(3), '2001:db8::52']],
  );
});
