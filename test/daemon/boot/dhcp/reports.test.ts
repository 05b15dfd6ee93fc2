import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressesValue, optionCode } from '../../../../daemon/boot/dhcp/options.ts';
import { settled } from '../../../fakes/clock.ts';
import { knownMachines } from '../../../../daemon/boot/dhcp/known-machines.ts';
import { ipv4Text } from '../../../../daemon/lib/network/ipv4.ts';
import {
  choosing,
  type DhcpSite,
  dhcpSite,
  ELSEWHERE,
  ip,
  mac,
  requestOf,
  SEARCH,
  UEFI,
} from '../../../fakes/boot/dhcp-site.ts';

const A = mac(1);
const B = mac(2);

test('a machine whose MAC address no port has gets no answer, which is reported once an hour', async (t) => {
  const site = dhcpSite(t);
  for (let time = 0; time < 3; time += 1) assert.deepEqual(await site.say(requestOf(A, 'discover')), []);
  const event = {
    hop: 'dhcp',
    mac: A,
    text: 'gets no answer: no port has this MAC address (os)',
    failed: true,
  };
  assert.deepEqual(site.events, [event]);
  await site.clock.advance(3_600_000);
  assert.deepEqual(await site.say(requestOf(A, 'discover')), []);
  assert.deepEqual(site.events, [event, event]);
  site.enrol(A);
  assert.equal(await site.boot(A), '10.0.0.50', 'a new port counts at once');
});

test('where BMCs are, a machine without a port gets an address but no boot file, and is reported', async (t) => {
  const site = dhcpSite(t, { hasBmcs: true });
  const options = [
    [optionCode.hostName, 'iDRAC-7ABCDE2\0'],
    [optionCode.vendorClass, `iDRAC\u0007${'x'.repeat(400)}`],
  ] as const;
  assert.equal(await site.boot(A, options), '10.0.0.50');
  assert.deepEqual(await site.say(requestOf(B, 'discover', { options: UEFI })), [], 'firmware gets nothing');
  site.enrol(B);
  await site.boot(B);
  assert.deepEqual(site.hints, [
    {
      source: 'dhcp',
      address: '10.0.0.50',
      mac: A,
      hostname: 'iDRAC-7ABCDE2',
      vendorClass: `iDRAC${'x'.repeat(249)}`,
    },
  ]);
});

test('an unknown machine gets an address unless only known machines are served', async (t) => {
  assert.equal(await dhcpSite(t, { knownMachinesOnly: false }).boot(B), '10.0.0.50');
});

test('a machine that has a port but gets no answer is reported at most once in 30 s', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A, { pxe_enabled: false });
  for (let time = 0; time < 3; time += 1) {
    await site.say(requestOf(A, 'discover', { options: UEFI }));
    await site.say(requestOf(A, 'discover', { options: UEFI }));
    await site.clock.advance(30_000);
  }
  assert.equal(site.events.length, 3);
});

test("a machine that takes another server's offer is left alone, and the server looks for that server itself", async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  await site.say(requestOf(A, 'discover'));
  assert.deepEqual(
    await site.say(requestOf(A, 'request', { options: choosing('10.0.0.77', '10.0.0.9') })),
    [],
  );
  assert.equal(site.leases.of(A), undefined, 'the offer is withdrawn');
  assert.equal(site.searches(), 1);
  assert.deepEqual([rivals(site), site.warnings], [[], []], 'anybody could have sent the request');
});

const rivals = (site: DhcpSite) => site.db.dhcpRivals.recent(site.clock.now());

test('a relay that sends a request to each address of the server is no sign of another server', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  const [relay, options] = [ip('10.0.0.3'), choosing('10.0.0.50', ELSEWHERE)];
  assert.deepEqual(await site.say(requestOf(A, 'request', { relay, options })), []);
  const search = requestOf(B, 'discover', { relay: ip(ELSEWHERE), hops: 1 });
  assert.deepEqual(await site.say(search), []);
  assert.deepEqual(site.warnings, []);
});

const offerOf = (server: string, yourAddress: string, transactionId = SEARCH) =>
  requestOf(mac(9), 'offer', {
    op: 'reply',
    transactionId,
    yourAddress: ip(yourAddress),
    options: [[optionCode.serverId, addressesValue([ip(server)])]],
  });

test('a server that answers the search is reported once, unless it is a ProxyDHCP server', async (t) => {
  const site = dhcpSite(t);
  await site.say(offerOf('10.0.0.8', '0.0.0.0'));
  await site.say(offerOf('10.0.0.9', '10.0.0.200', SEARCH + 1));
  assert.deepEqual([rivals(site), site.warnings], [[], []]);
  for (let time = 0; time < 2; time += 1) await site.say(offerOf('10.0.0.9', '10.0.0.200'));
  assert.deepEqual(rivals(site), [{ address: '10.0.0.9', interface: 'br0', last_seen: site.clock.now() }]);
  assert.deepEqual(site.warnings, [
    'DHCP: another DHCP server, 10.0.0.9, gives addresses on br0. Machines may boot the files that it names: switch that server off, or set [dhcp_server] mode = proxy',
  ]);
  await site.clock.advance(1_800_000);
  assert.deepEqual(rivals(site), [], 'a server last seen half an hour ago is not recent');
});

test('thousands of forged servers leave few records and few warnings', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  for (let number = 0; number < 3000; number += 1) {
    const server = ipv4Text(ip('10.1.0.0') + number);
    await site.say(requestOf(A, 'request', { options: choosing('10.0.0.77', server) }));
    await site.say(offerOf(server, '10.0.0.200'));
  }
  assert.equal(rivals(site).length, 8);
  assert.equal(site.warnings.length, 8);
});

test('when the pool is full, machines get no answer, and one warning is logged', async (t) => {
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

test('an address that another host uses is not offered, and that host is reported', async (t) => {
  const site = dhcpSite(t, { neighbours: { '10.0.0.50': mac(77), '10.0.0.51': A } });
  site.enrol(A);
  assert.equal(
    await site.boot(A),
    '10.0.0.51',
    'an address that the machine itself still uses is no conflict',
  );
  assert.deepEqual(site.events[0], {
    hop: 'dhcp',
    mac: A,
    text: `does not get 10.0.0.50: ${mac(77)} uses that address`,
    failed: true,
  });
});

test('an address that a host used lately is not offered, and a host that still uses it 10 s later is reported', async (t) => {
  const [gone, there] = ['10.0.0.50', '10.0.0.51'];
  const site = dhcpSite(t, {
    neighbours: { [there]: mac(78) },
    remembered: { [gone]: mac(77), [there]: mac(78) },
  });
  site.enrol(A);
  assert.equal(await site.boot(A), '10.0.0.52');
  const failures = () => site.events.filter(({ failed }) => failed).map(({ text }) => text);
  assert.deepEqual(failures(), []);
  await site.clock.advance(10_000);
  await settled();
  assert.deepEqual(failures(), [`does not get ${there}: ${mac(78)} uses that address`]);
});

test('the search for a host that uses the address delays only the first offer, by 0.1 s', async (t) => {
  const site = dhcpSite(t, { neighbours: {} });
  site.enrol(A);
  const before = site.clock.monotonic();
  await site.say(requestOf(A, 'discover'));
  assert.equal(site.clock.monotonic() - before, 100);
  await site.say(requestOf(A, 'discover'));
  await site.boot(A);
  assert.equal(site.clock.monotonic() - before, 100);
});

const LOOP =
  'was told to boot snponly.efi (stage uefi-pxe) 5 times in 2 min, and no ramdisk reported: it is in a boot loop, or cannot load or start that file';

/** How long a machine needs from one boot to the next. */
const ROUND_MILLISECONDS = 20_000;

async function bootInCircles(site: DhcpSite, times: number): Promise<number> {
  let answered = 0;
  for (let time = 0; time < times; time += 1) {
    if ((await site.boot(A, UEFI)) !== undefined) answered += 1;
    await site.clock.advance(ROUND_MILLISECONDS);
  }
  return answered;
}

test('a machine in a boot loop is reported with its boot file, and still gets it if it has a node', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  assert.equal(await bootInCircles(site, 4), 4);
  assert.deepEqual([site.warnings, site.loops.loopOf(A)], [[], undefined]);
  assert.equal(await bootInCircles(site, 3), 3);
  assert.deepEqual(site.warnings, [`DHCP: a machine ${LOOP}`]);
  assert.deepEqual(
    site.events.filter(({ failed }) => failed),
    [{ hop: 'dhcp', mac: A, text: LOOP, failed: true }],
  );
  assert.equal(site.loops.loopOf(A), LOOP);
});

test('requests that follow within seconds are one boot, however many anybody sends', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  for (let number = 0; number < 350; number += 1) {
    const options = [...UEFI, ...choosing('10.0.0.50')];
    await site.say(requestOf(A, 'request', { transactionId: number, options }));
    await site.clock.advance(50);
  }
  assert.equal(site.loops.loopOf(A), undefined);
});

test('boots that are forgotten, as after a report from the ramdisk, do not add up to a boot loop', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  for (let time = 0; time < 4; time += 1) {
    await bootInCircles(site, 4);
    site.loops.forget(A);
  }
  assert.equal(site.loops.loopOf(A), undefined);
});

test('in a boot loop, a machine without a node gets no boot file for a while, twice as long each time, up to a day', async (t) => {
  const site = dhcpSite(t, { knownMachinesOnly: false });
  for (const minutes of [10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440]) {
    assert.equal(await bootInCircles(site, 7), 5);
    assert.match(site.warnings.at(-1) ?? '', new RegExp(`it gets no boot file for the next ${minutes} min$`));
    const since = 3 * ROUND_MILLISECONDS;
    await site.clock.advance(minutes * 60_000 - since - 1);
    assert.equal(await site.boot(A, UEFI), undefined);
    assert.ok(await site.boot(A), 'its operating system gets an address');
    await site.clock.advance(1);
  }
  assert.ok(site.events.some(({ text }) => text === 'gets no answer: it is in a boot loop (uefi-pxe)'));
});

test('while a node waits for an inspection report, no machine is in a pause: it may be the machine of that node', async (t) => {
  const site = dhcpSite(t, { knownMachinesOnly: false });
  await bootInCircles(site, 5);
  assert.equal(await site.boot(A, UEFI), undefined);
  site.enrol(B);
  const node = knownMachines(site.db).byMac(B)?.node.uuid ?? '';
  site.db.nodes.update(node, { provision_state: 'inspect wait' });
  assert.ok(await site.boot(A, UEFI));
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

test('the server does not answer its own search for other servers', async (t) => {
  const site = dhcpSite(t, { knownMachinesOnly: false });
  assert.deepEqual(await site.say(requestOf(A, 'discover', { relay: ip('10.0.0.1'), hops: 1 })), []);
  assert.deepEqual(site.events, []);
});
