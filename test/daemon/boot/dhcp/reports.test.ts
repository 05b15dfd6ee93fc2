import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressesValue, optionCode } from '../../../../daemon/boot/dhcp/options.ts';
import { settled } from '../../../fakes/clock.ts';
import { knownMachines } from '../../../../daemon/boot/dhcp/known-machines.ts';
import {
  choosing,
  type DhcpSite,
  dhcpSite,
  ELSEWHERE,
  ip,
  mac,
  requestOf,
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

test("a machine that takes another server's offer is left alone, and that server is reported once", async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  await site.say(requestOf(A, 'discover'));
  for (let time = 0; time < 2; time += 1)
    assert.deepEqual(
      await site.say(requestOf(A, 'request', { options: choosing('10.0.0.77', '10.0.0.9') })),
      [],
    );
  assert.equal(site.leases.of(A), undefined, 'the offer is withdrawn');
  const rivals = () => site.db.dhcpRivals.recent(site.clock.now());
  assert.deepEqual(rivals(), [{ address: '10.0.0.9', interface: 'br0', last_seen: site.clock.now() }]);
  assert.deepEqual(site.warnings, [
    'DHCP: another DHCP server, 10.0.0.9, gives addresses on br0. Machines may boot the files that it names: switch that server off, or set [dhcp_server] mode = proxy',
  ]);
  await site.clock.advance(1_800_000);
  assert.deepEqual(rivals(), [], 'a server last seen half an hour ago is not recent');
});

test('a relay that sends a request to each address of the server is no sign of another server', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  const [relay, options] = [ip('10.0.0.3'), choosing('10.0.0.50', ELSEWHERE)];
  assert.deepEqual(await site.say(requestOf(A, 'request', { relay, options })), []);
  const search = requestOf(B, 'discover', { relay: ip(ELSEWHERE), hops: 1 });
  assert.deepEqual(await site.say(search), []);
  assert.deepEqual(site.warnings, []);
});

const offerOf = (server: string, yourAddress: string) =>
  requestOf(mac(9), 'offer', {
    op: 'reply',
    yourAddress: ip(yourAddress),
    options: [[optionCode.serverId, addressesValue([ip(server)])]],
  });

test('an offer from another DHCP server is reported, but not one from a ProxyDHCP server', async (t) => {
  const site = dhcpSite(t);
  await site.say(offerOf('10.0.0.8', '0.0.0.0'));
  assert.deepEqual(site.warnings, []);
  await site.say(offerOf('10.0.0.9', '10.0.0.200'));
  assert.match(site.warnings.join(), /another DHCP server, 10\.0\.0\.9/);
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
  'was told to boot snponly.efi (stage uefi-pxe) 5 times in 1 min, and no ramdisk reported: it is in a boot loop, or cannot load or start that file';

/** How long a machine needs from one boot to the next. */
const ROUND_MILLISECONDS = 10_000;

async function bootInCircles(site: DhcpSite, times: number): Promise<number> {
  let answered = 0;
  for (let time = 0; time < times; time += 1) {
    if ((await site.boot(A, UEFI)) !== undefined) answered += 1;
    await site.clock.advance(ROUND_MILLISECONDS);
  }
  return answered;
}

test('a machine in a boot loop is reported with its boot file, and the operation of its node fails', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  assert.equal(await bootInCircles(site, 4), 4);
  assert.deepEqual([site.warnings, site.ended], [[], []]);
  assert.equal(await bootInCircles(site, 3), 3, 'a machine with a node still gets its boot file');
  assert.deepEqual(site.warnings, [`DHCP: a machine ${LOOP}`]);
  assert.deepEqual(
    site.events.filter(({ failed }) => failed),
    [{ hop: 'dhcp', mac: A, text: LOOP, failed: true }],
  );
  const node = knownMachines(site.db).byMac(A)?.node.uuid;
  assert.deepEqual(site.ended, [{ node, text: LOOP }]);
});

test('a request that a machine repeats is not another boot', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  for (let time = 0; time < 7; time += 1) {
    await site.boot(A, UEFI);
    await site.clock.advance(ROUND_MILLISECONDS / 4);
  }
  assert.deepEqual(site.ended, []);
});

test('boots that are forgotten, as after a report from the ramdisk, do not add up to a boot loop', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  for (let time = 0; time < 4; time += 1) {
    await bootInCircles(site, 4);
    site.loops.forget(A);
  }
  assert.deepEqual(site.ended, []);
});

test('in a boot loop, a machine without a node gets no boot file for a while, twice as long each time, up to a day', async (t) => {
  const site = dhcpSite(t, { knownMachinesOnly: false });
  for (const minutes of [10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440]) {
    assert.equal(await bootInCircles(site, 7), 5);
    assert.match(
      site.warnings.at(-1) ?? '',
      new RegExp(`; it gets no boot file for the next ${minutes} min$`),
    );
    const since = 3 * ROUND_MILLISECONDS;
    await site.clock.advance(minutes * 60_000 - since - 1);
    assert.equal(await site.boot(A, UEFI), undefined);
    assert.ok(await site.boot(A), 'its operating system gets an address');
    await site.clock.advance(1);
  }
  assert.deepEqual(site.ended, []);
  assert.ok(site.events.some(({ text }) => text === 'gets no answer: it is in a boot loop (uefi-pxe)'));
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
