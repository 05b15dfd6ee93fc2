// The daemon, the command and BMCs as processes in a network space.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { isInSubnet } from '../../../../daemon/lib/network/ip.ts';
import type { FoundBmc } from '../../../../daemon/model/zero-touch/found-bmc.ts';
import { DhcpServerProcess, WITH_SOCKETS } from '../../../fakes/boot/dhcp-server-process.ts';
import { space as networkSpace, SUBNET, udhcpc } from '../../../fakes/boot/dhcp-network.ts';
import type { NetworkSpace } from '../../../fakes/boot/network-space.ts';
import type { BmcHost } from '../../../fakes/machines/bmc-hosts.ts';
import { skipWithout } from '../../../setup/packages.ts';

const HERE = import.meta.dirname;
const CLI = path.join(HERE, '../../../../daemon/cli');
const BMC_HOSTS = path.join(HERE, '../../../fakes/machines/bmc-hosts.ts');
const skip = skipWithout('iproute2') || skipWithout('nftables');
const [ONE, TWO] = ['11111111-2222-4333-8444-555555555501', '11111111-2222-4333-8444-555555555502'] as const;

const WATCH = `table inet watch {
  set asked { type ipv4_addr . inet_service; flags dynamic; size 65535; }
  set pinged { type ipv4_addr . inet_service; flags dynamic; size 65535; }
  set sent { type ipv4_addr; flags dynamic; size 65535; }
  chain out {
    type filter hook output priority 0;
    ip daddr 127.0.0.0/8 accept
    add @sent { ip daddr }
    tcp dport 443 tcp flags & (syn|ack) == syn add @asked { ip daddr . tcp sport }
    udp dport 623 add @pinged { ip daddr . udp sport }
  }
}`;

/** The addresses in a set of the watch; one that was asked from two ports occurs twice. */
function watched(on: NetworkSpace, name: 'asked' | 'pinged' | 'sent'): readonly string[] {
  const listed = JSON.parse(on.run('nft', '-j', 'list', 'set', 'inet', 'watch', name)) as {
    readonly nftables: readonly { readonly set?: { readonly elem?: readonly unknown[] } }[];
  };
  return listed.nftables.flatMap(({ set }) =>
    (set?.elem ?? []).map((each) => {
      const element = each as string | { readonly concat: readonly [string, number] };
      return typeof element === 'string' ? element : element.concat[0];
    }),
  );
}

interface Site {
  readonly daemon: DhcpServerProcess;
  /** Runs `ironic-edge discover` inside. */
  readonly discover: (
    ...words: readonly string[]
  ) => Promise<{ readonly code: number; readonly out: string }>;
  readonly list: () => Promise<readonly FoundBmc[]>;
}

interface SiteParts {
  readonly networks: string;
  readonly dhcp?: true;
  readonly more?: Readonly<Record<string, string>>;
}

async function site(t: TestContext, on: NetworkSpace, { networks, dhcp, more }: SiteParts): Promise<Site> {
  const daemon = new DhcpServerProcess(on, dhcp === true ? [WITH_SOCKETS, 'dhcp-server', '--'] : []);
  t.after(() => daemon[Symbol.asyncDispose]());
  const variables = {
    IRONIC_ZERO_TOUCH__BMC_NETWORKS: networks,
    IRONIC_ZERO_TOUCH__SCAN_INTERVAL: '0',
    ...more,
  };
  await daemon.start(dhcp === true ? { subnet: SUBNET } : {}, variables);
  const url = String(daemon.log.find(({ msg }) => msg === 'ready')?.['url']);
  const discover: Site['discover'] = async (...words) => {
    const child = on.spawn('env', `OS_ENDPOINT=${url}`, path.join(CLI, 'ironic-edge'), 'discover', ...words);
    const [out, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number]>,
    ]);
    return { code, out: out + errors };
  };
  return {
    daemon,
    discover,
    async list() {
      const fields =
        'address,mac,hostname,redfish_uuid,protocols,vendor,product,sources,node_uuid,stage,uuid';
      const { out } = await discover('list', '--fields', fields, '--json');
      const found = JSON.parse(out) as readonly FoundBmc[];
      return found.toSorted((a, b) => String(a.address).localeCompare(String(b.address)));
    },
  };
}

/** Starts BMCs at addresses of the host; call the result to end them. */
async function bmcs(
  on: NetworkSpace,
  hosts: Readonly<Record<string, BmcHost>>,
): Promise<() => Promise<void>> {
  for (const address of Object.keys(hosts)) {
    const known = on.run('ip', '-oneline', 'address', 'show', 'dev', 'eth0');
    if (!known.includes(` ${address}/`)) on.run('ip', 'address', 'add', `${address}/22`, 'dev', 'eth0');
  }
  const child = on.spawn(path.join(CLI, 'node'), BMC_HOSTS, JSON.stringify(hosts));
  child.stderr.pipe(process.stderr);
  await once(child.stdout, 'data');
  return async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
  };
}

async function wired(t: TestContext): Promise<{ readonly on: NetworkSpace; readonly host: NetworkSpace }> {
  const on = await networkSpace(t);
  on.run('ip', 'address', 'add', '10.99.4.1/22', 'dev', 'server');
  const host = await on.host('10.99.4.2/22');
  t.after(() => host[Symbol.asyncDispose]());
  return { on, host };
}

const brief = (found: readonly FoundBmc[]) =>
  found.map(
    ({ address, protocols, vendor, sources }) =>
      `${address} ${protocols.join('+')} ${vendor} ${sources.join('+')}`,
  );

test(
  'a scan of 1,022 addresses finds three BMCs, asks each address once and nothing else',
  { skip },
  async (t) => {
    const { on, host } = await wired(t);
    await bmcs(host, {
      '10.99.4.2': { redfish: { UUID: ONE, Vendor: 'Contoso' }, ipmi: true },
      '10.99.5.77': { ipmi: true },
      '10.99.7.254': { redfish: { UUID: TWO, Vendor: 'Fabrikam' } },
    });
    const { discover, list } = await site(t, on, { networks: '10.99.4.0/22' });
    on.run('nft', WATCH);
    const begun = performance.now();
    const { code, out } = await discover('scan');
    const seconds = (performance.now() - begun) / 1000;
    assert.deepEqual(
      [code, out],
      [0, '1022 of 1022 addresses asked, BMCs answered at 3: "ironic-edge discover list" shows them\n'],
    );
    assert.deepEqual(brief(await list()), [
      '10.99.4.2 redfish+ipmi Contoso scan',
      '10.99.5.77 ipmi null scan',
      '10.99.7.254 redfish Fabrikam scan',
    ]);
    const [asked, pinged, sent] = (['asked', 'pinged', 'sent'] as const).map((name) => watched(on, name));
    for (const each of [asked ?? [], pinged ?? []]) {
      assert.equal(each.length, 1022);
      assert.equal(new Set(each).size, 1022, 'no address is asked twice');
      assert.ok(!each.includes('10.99.4.0') && !each.includes('10.99.7.255'));
    }
    const outside = sent?.filter((address) => !isInSubnet(address, '10.99.4.0/22'));
    assert.deepEqual(outside, ['239.255.255.250'], 'nothing but the search by SSDP leaves the network');
    assert.ok(seconds >= 1021 / 50, 'at most 50 begin in a second');
    t.diagnostic(`${asked?.length} connections and ${pinged?.length} pings in ${seconds.toFixed(1)} s`);
  },
);

test('hostile answers harm nothing, and make no BMC', { skip }, async (t) => {
  const { on, host } = await wired(t);
  const kinds = ['huge', 'slow', 'deep', 'redirect', 'other', 'plain', 'noise'] as const;
  await bmcs(host, {
    ...Object.fromEntries(kinds.map((kind, index) => [`10.99.4.${17 + index}`, { redfish: kind }])),
    '10.99.4.24': { redfish: { UUID: 'x', Vendor: `\u001b[31m${'V'.repeat(9000)}` } },
    '10.99.4.25': { redfish: { UUID: '00000000-0000-0000-0000-000000000000', Vendor: { a: [] } } },
  });
  const { discover, list, daemon } = await site(t, on, { networks: '10.99.4.0/22' });
  on.run('nft', WATCH);
  const { out } = await discover('scan', '10.99.4.16/28');
  assert.match(out, /^14 of 14 addresses asked, BMCs answered at 2:/);
  const found = await list();
  assert.deepEqual(
    found.map(({ address, redfish_uuid, vendor }) => [address, redfish_uuid, vendor?.length ?? null]),
    [
      ['10.99.4.24', null, 250],
      ['10.99.4.25', null, null],
    ],
  );
  assert.ok(!watched(on, 'sent').includes('10.99.0.9'), 'no redirect is followed to another server');
  assert.deepEqual(
    daemon.log.filter(({ level }) => Number(level) >= 50),
    [],
  );
});

test(
  'a BMC is followed to its new address, and an address that it left to another BMC',
  { skip },
  async (t) => {
    const { on, host } = await wired(t);
    const { discover, list } = await site(t, on, { networks: '10.99.4.0/22' });
    const scan = () => discover('scan', '10.99.4.16/28');
    let end = await bmcs(host, { '10.99.4.20': { redfish: { UUID: ONE } } });
    await scan();
    const [first] = await list();
    await end();
    end = await bmcs(host, {
      '10.99.4.21': { redfish: { UUID: ONE } },
      '10.99.4.20': { redfish: { UUID: TWO } },
    });
    await scan();
    const moved = await list();
    assert.deepEqual(
      moved.map(({ address, redfish_uuid }) => [address, redfish_uuid]),
      [
        ['10.99.4.20', TWO],
        ['10.99.4.21', ONE],
      ],
    );
    assert.equal(moved[1]?.uuid, first?.uuid, 'the same record');
    await end();
    await bmcs(host, { '10.99.4.21': { redfish: { UUID: ONE } }, '10.99.4.23': { redfish: { UUID: ONE } } });
    await scan();
    assert.deepEqual(
      (await list()).map(({ address, redfish_uuid }) => [address, redfish_uuid]),
      [
        ['10.99.4.20', TWO],
        ['10.99.4.21', ONE],
      ],
      'a BMC with two addresses has one record',
    );
    assert.equal((await discover('forget', '10.99.4.20')).code, 0);
    assert.equal((await list()).length, 1);
  },
);

test(
  'SSDP finds a BMC only if the answer comes from its address; only one scan runs at once',
  { skip },
  async (t) => {
    const { on, host } = await wired(t);
    await bmcs(host, {
      '10.99.4.30': { redfish: { UUID: ONE }, ssdp: 'https://10.99.4.30/redfish/v1/' },
      '10.99.4.31': { redfish: { UUID: TWO }, ssdp: 'https://10.99.4.30/redfish/v1/' },
    });
    const { discover, list } = await site(t, on, { networks: '10.99.4.0/22' });
    const both = await Promise.all([discover('scan', '10.99.4.0/26'), discover('scan', '10.99.4.0/26')]);
    const refused = both.filter(({ code }) => code !== 0).map(({ out }) => out);
    assert.equal(refused.length, 1);
    assert.match(
      refused[0] ?? '',
      /409: A scan of 10\.99\.4\.0\/26 has been running since .* Wait for its end/,
    );
    assert.deepEqual(
      (await list()).map(({ address, sources }) => [address, sources.toSorted()]),
      [
        ['10.99.4.30', ['scan', 'ssdp']],
        ['10.99.4.31', ['scan']],
      ],
    );
  },
);

test('scans at an interval find BMCs', { skip }, async (t) => {
  const { on, host } = await wired(t);
  await bmcs(host, { '10.99.4.30': { ipmi: true } });
  const more = { IRONIC_ZERO_TOUCH__SCAN_INTERVAL: '1' };
  const { list, daemon } = await site(t, on, { networks: '10.99.4.30,fd00:99::/64', more });
  await daemon.logged(({ msg, answered }) => msg === 'scanned for BMCs' && answered === 1);
  assert.deepEqual(brief(await list()), ['10.99.4.30 ipmi null scan']);
  const warned = daemon.log.find(
    ({ msg }) => msg === 'networks of BMCs are too large for scans at an interval',
  );
  assert.deepEqual(warned?.['networks'], ['fd00:99::/64']);
});

test(
  'a BMC that gets an address from the daemon is found, though it has no port',
  { skip: skip || skipWithout('udhcpc') },
  async (t) => {
    const on = await networkSpace(t);
    const MAC = '52:54:00:00:09:01';
    const { list, daemon } = await site(t, on, { networks: '10.99.0.0/24', dhcp: true });
    const lease = await udhcpc(on, MAC, ['-x', 'hostname:iDRAC-7ABCDE2', '-V', 'iDRAC']);
    assert.equal(lease?.['ip'], '10.99.0.50');
    const host = on.interfaceOf(MAC);
    on.run('ip', 'address', 'add', '10.99.0.50/24', 'dev', host);
    const child = on.spawn(
      path.join(CLI, 'node'),
      BMC_HOSTS,
      JSON.stringify({ '10.99.0.50': { redfish: { UUID: ONE } } }),
    );
    await once(child.stdout, 'data');
    let found = await list();
    while (found[0]?.protocols.length !== 1) found = await list();
    assert.deepEqual(
      found.map(({ address, mac, hostname, redfish_uuid, sources }) => [
        address,
        mac,
        hostname,
        redfish_uuid,
        sources,
      ]),
      [['10.99.0.50', MAC, 'iDRAC-7ABCDE2', ONE, ['dhcp']]],
    );
    assert.ok(daemon.log.some(({ mac }) => mac === MAC));
  },
);
