// The network functions of the ramdisk's init, on real network cards of a namespace, with real dhclient and the daemon's servers.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { canonicalIp } from '../../../../daemon/lib/network/ip.ts';
import { mac } from '../../../fakes/boot/dhcp-site.ts';
import { server, space, SUBNET } from '../../../fakes/boot/dhcp-network.ts';
import { WITH_SOCKETS } from '../../../fakes/boot/dhcp-server-process.ts';
import type { NetworkSpace } from '../../../fakes/boot/network-space.ts';
import { IPV6_SUBNET, ipv6Lab, linkLocalOf, settle } from '../../../fakes/dhcp6/dhcp6-network.ts';
import { skipWithout } from '../../../setup/packages.ts';

const INIT = join(import.meta.dirname, '../../../../daemon/cli/agent-image/build/init');

test(
  'between two networks, a card loses its addresses but the link-local one, which DHCPv6 needs',
  { skip: skipWithout('iproute2') },
  async (t) => {
    const run = mkdtempSync(join(tmpdir(), 'ramdisk-run-'));
    t.after(() => rmSync(run, { recursive: true }));
    const lab = await space(t);
    const card = lab.interfaceOf(mac(1));
    settle(lab, card);
    for (const address of ['fd77::5/128', '10.77.0.5/24'])
      lab.run('ip', 'address', 'add', address, 'dev', card);
    const [stopNetwork] = /^stop_network\(\) \{\n[^]*?^\}\n/m.exec(readFileSync(INIT, 'utf8')) ?? [];
    assert.ok(stopNetwork);
    const script = `cards() { echo ${card}; }\n${stopNetwork.replaceAll('/run/', `${run}/`)}stop_network\n`;
    lab.run('sh', '-ec', script);
    const left = lab.run('ip', '-o', 'address', 'show', 'dev', card);
    assert.deepEqual(
      [...left.matchAll(/inet6? (\S+)/g)].map(([, address]) => address),
      [`${canonicalIp(linkLocalOf(mac(1)))}/64`],
    );
  },
);

/** Gives the card the address that dhclient has got. The own script of dhclient would change this host. */
const SET_ADDRESS = `#!/bin/sh
case $reason in
  BOUND) ip address add "$new_ip_address/24" dev "$interface" ;;
  BOUND6) ip address add "$new_ip6_address/128" dev "$interface" nodad; echo "$new_dhcp6_sntp_servers" > RUN/sntp ;;
esac
`;

interface Ramdisk {
  readonly lab: NetworkSpace;
  readonly card: string;
  /** The kernel parameter ipa-api-url. */
  readonly url: string;
}

/** Starts the network as init does. Returns what init says, whether it takes the card for one without IPv4, and its time servers. */
function startNetwork(t: TestContext, { lab, card, url }: Ramdisk) {
  const run = mkdtempSync(join(tmpdir(), 'ramdisk-run-'));
  t.after(() => rmSync(run, { recursive: true }));
  for (const [name, text] of [
    ['script', SET_ADDRESS.replaceAll('RUN', run)],
    ['dhclient', `#!/bin/sh\nexec /usr/sbin/dhclient -sf ${run}/script "$@"\n`],
  ] as const) {
    writeFileSync(join(run, name), text);
    chmodSync(join(run, name), 0o755);
  }
  const [network = ''] = /^# --- network ---\n[^]*?(?=^# --- )/m.exec(readFileSync(INIT, 'utf8')) ?? [];
  assert.match(network, /start_network\(\) \{/);
  const own = `say() { echo "$*"; }
parameter() { case $1 in ipa-api-url) echo '${url}' ;; BOOTIF) echo '${mac(1)}' ;; esac; }
NETWORK_SECONDS=60 IPV4_SECONDS=2 PATH=${run}:$PATH
`;
  const last = `cards() { echo ${card}; }
card_with() { cards; }
start_network
if has_ipv6_only; then echo ipv6 only; fi
for p in ${run}/dhclient*.pid; do kill "$(cat "$p")"; done
`;
  const said = lab.run('sh', '-c', own + network.replaceAll('/run/', `${run}/`) + last);
  const sntp = join(run, 'sntp');
  return { said, timeServers: existsSync(sntp) ? readFileSync(sntp, 'utf8').trim() : undefined };
}

const skipClient = skipWithout('iproute2') || skipWithout('isc-dhcp-client');

test(
  'where only DHCPv6 answers, a URL with a host name or an IPv6 address gets an IPv6 address, and the agent need not wait for IPv4',
  { skip: skipClient },
  async (t) => {
    const { lab, daemon, interfaceOf } = await ipv6Lab(t, [mac(1)]);
    await daemon.start({ subnet: `${IPV6_SUBNET} ntp=2001:db8:99::3` });
    for (const url of ['http://edge.example:6386', 'http://[2001:db8:99::1]:6386']) {
      const card = interfaceOf(mac(1));
      const { said, timeServers } = startNetwork(t, { lab, card, url });
      assert.match(said, /2001:db8:99::50\/128/, url);
      assert.match(said, /^ipv6 only$/m, url);
      assert.equal(/^no IPv4 address on /m.test(said), url.includes('edge'), url);
      assert.equal(timeServers, '2001:db8:99::3');
    }
  },
);

test(
  'where DHCP answers too, a URL with a host name waits for the IPv4 address, and one with an IPv4 address asks for no other',
  { skip: skipClient },
  async (t) => {
    const lab = await space(t);
    settle(lab, 'server');
    lab.run('ip', '-6', 'address', 'add', '2001:db8:99::1/64', 'dev', 'server', 'nodad');
    const daemon = server(t, lab, [mac(1)], [WITH_SOCKETS, 'dhcp-server', 'dhcp6-server', '--']);
    await daemon.start({ subnet: `${SUBNET},${IPV6_SUBNET}` });
    for (const url of ['http://edge.example:6386', 'http://10.99.0.1:6386']) {
      const card = lab.interfaceOf(mac(1));
      settle(lab, card);
      lab.run('ip', '-4', 'address', 'flush', 'dev', card);
      const { said } = startNetwork(t, { lab, card, url });
      assert.match(said, /10\.99\.0\.50\/24/, url);
      assert.doesNotMatch(said, /ipv6 only|no IPv4 address/, url);
      if (!url.includes('edge')) assert.doesNotMatch(said, /2001:/, url);
    }
  },
);
