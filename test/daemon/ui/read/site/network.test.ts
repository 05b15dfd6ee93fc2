import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readNetwork } from '../../../../../daemon/ui/read/site/network.ts';
import { startInProcess } from '../../../../fakes/daemon/in-process-daemon.ts';
import { get } from '../../../../fakes/clients/page.ts';

const SUBNETS = `[dhcp_server]
subnet = 127.0.0.0/8 range=127.0.0.50-127.0.0.53 interface=lo
subnet = 10.9.0.0/24 range=10.9.0.1-10.9.0.10 range=10.9.0.20-10.9.0.29 interface=absent0
subnet = 10.8.0.0/24 range=10.8.0.1-10.8.0.10
lease_time = 600
`;
const MAC = '52:54:00:00:00:01';
const STRANGER = '52:54:00:00:00:02';

describe('the view Network', () => {
  it('says what each interface lacks, and how full each pool is', async (t) => {
    const { services, clock } = await startInProcess(t, { ini: SUBNETS });
    const { dhcpLeases } = services.db;
    const expires_at = clock.now() + 1000;
    dhcpLeases.put({ address: '10.9.0.1', mac: MAC, expires_at });
    dhcpLeases.put({ address: '10.9.0.20', mac: null, expires_at });
    // outside the ranges: a port reserves it
    dhcpLeases.put({ address: '10.9.0.200', mac: STRANGER, expires_at });
    dhcpLeases.put({ address: '10.9.0.2', mac: '52:54:00:00:00:03', expires_at: clock.now() });
    const { subnets } = readNetwork(services, '');
    assert.deepEqual(
      subnets.map(({ address, size, leased, setAside }) => [address, size, leased, setAside]),
      [
        ['127.0.0.1', 4, 0, 0],
        [undefined, 20, 1, 1],
        [undefined, 10, 0, 0],
      ],
    );
    assert.deepEqual(
      subnets.map(({ missing = '' }) => missing.split(';')[0]),
      ['', 'this host has no interface absent0', ''],
    );
    assert.deepEqual(subnets[1]?.ranges, ['10.9.0.1-10.9.0.10', '10.9.0.20-10.9.0.29']);
    services.links.report('DHCP relays at 10.0.0.1', 'this host does not have 10.0.0.1');
    assert.equal(readNetwork(services, '').subnets[2]?.missing, 'this host does not have 10.0.0.1');
  });

  it('has the IPv6 subnets too, with their pools and leases', async (t) => {
    const daemon = await startInProcess(t, {
      ini: `${SUBNETS}subnet = ::/120 range=::1-::9 interface=lo
subnet = 2001:db8::/64 range=2001:db8::1000-2001:db8::1fff interface=absent0
subnet = 2001:db8:1::/64
`,
    });
    const { services, clock } = daemon;
    const { uuid } = await daemon.createNode({ name: 'web-1' });
    await daemon.createPort(uuid, MAC);
    const expires_at = clock.now() + 1000;
    services.db.dhcpLeases.put({ address: '10.9.0.1', mac: STRANGER, expires_at: expires_at + 1 });
    services.db.dhcp6Leases.put({ address: '2001:db8::1000', mac: MAC, expires_at });
    services.links.report('DHCP relays at 10.0.0.1', 'this host does not have 10.0.0.1');
    const { subnets, leases } = readNetwork(services, '');
    assert.deepEqual(
      subnets
        .slice(3)
        .map(({ cidr, address, size, leased, missing = '' }) => [
          cidr,
          address,
          size,
          leased,
          missing.split(';')[0],
        ]),
      [
        ['::/120', '::1', 9, 0, ''],
        ['2001:db8::/64', undefined, 4096, 1, 'this host has no interface absent0'],
        ['2001:db8:1::/64', undefined, 0, 0, ''],
      ],
    );
    assert.deepEqual(subnets[3]?.ranges, ['::1-::9']);
    assert.deepEqual(
      leases.map(({ address, machine }) => [address, machine?.label]),
      [
        ['10.9.0.1', undefined],
        ['2001:db8::1000', 'web-1'],
      ],
    );
    const { text } = await get(daemon, '/ui/network');
    assert.match(text, /1 of 4096/);
    assert.match(text, /2001:db8::1000/);
  });

  it('lists leases with their machines, the newest first, with what DHCP last noted; others have none', async (t) => {
    const daemon = await startInProcess(t, { ini: SUBNETS });
    const { services, clock } = daemon;
    const { uuid } = await daemon.createNode({ name: 'web-1' });
    await daemon.createPort(uuid, MAC);
    const { dhcpLeases } = services.db;
    const now = clock.now();
    dhcpLeases.put({ address: '10.9.0.1', mac: MAC, expires_at: now + 100_000 });
    dhcpLeases.put({ address: '10.9.0.3', mac: STRANGER, expires_at: now + 200_000 });
    services.timeline.record({ hop: 'dhcp', mac: MAC, text: 'is offered 10.9.0.1' });
    services.timeline.record({ hop: 'dhcp', mac: MAC, text: 'gets 10.9.0.1' });
    services.timeline.record({ hop: 'tftp', mac: MAC, text: 'received snponly.efi' });
    const shown = readNetwork(services, '');
    assert.deepEqual(
      shown.leases.map(({ address, machine, last }) => [address, machine?.label, last?.text]),
      [
        ['10.9.0.3', undefined, undefined],
        ['10.9.0.1', 'web-1', 'gets 10.9.0.1'],
      ],
    );
    const { since, until } = shown.leases[1] ?? { since: '', until: '' };
    assert.equal(Date.parse(until) - Date.parse(since ?? ''), 600_000);
    for (const query of ['WEB-', '52:54:00:00:00:01', '9.0.1'])
      assert.deepEqual(readNetwork(services, query).count, { all: 2, found: 1 }, query);
    assert.deepEqual(readNetwork(services, 'nothing').leases, []);
  });

  it('shows at most 100 leases, and says that there are more', async (t) => {
    const daemon = await startInProcess(t, { ini: SUBNETS });
    const { services, clock } = daemon;
    services.db.transaction(() => {
      for (let at = 0; at < 250; at += 1)
        services.db.dhcpLeases.put({
          address: `10.8.1.${at}`,
          mac: `52:54:00:01:00:${at.toString(16).padStart(2, '0')}`,
          expires_at: clock.now() + 1000 + at,
        });
    });
    assert.equal(readNetwork(services, '').leases.length, 100);
    const { text } = await get(daemon, '/ui/network');
    assert.match(text, /The 100 newest of 250/);
  });

  it('names other DHCP servers with what to do, and clients that no machine has', async (t) => {
    const daemon = await startInProcess(t, { ini: SUBNETS });
    const { services, clock } = daemon;
    services.db.dhcpRivals.put({ address: '10.9.0.99', interface: 'lo', last_seen: clock.now() });
    services.timeline.record({ hop: 'dhcp', mac: STRANGER, text: 'gets no answer' });
    const { text } = await get(daemon, '/ui/network');
    assert.match(text, /Another DHCP server, 10\.9\.0\.99, gives addresses on lo/);
    assert.match(text, /<code>ip neigh show 10\.9\.0\.99<\/code>/);
    assert.match(text, /add\/unknown\?machine=52%3A54%3A00%3A00%3A00%3A02/);
    await clock.advance(1_800_001);
    assert.doesNotMatch((await get(daemon, '/ui/network')).text, /10\.9\.0\.99/);
  });

  it('says that no subnet is served where none is configured', async (t) => {
    const daemon = await startInProcess(t);
    const { text } = await get(daemon, '/ui/network');
    assert.match(text, /This daemon gives no addresses/);
    assert.match(text, /No switch port is known/);
    assert.doesNotMatch(text, /<h2>Leases/);
  });
});
