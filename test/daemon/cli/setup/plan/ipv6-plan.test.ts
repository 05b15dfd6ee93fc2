import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeHost, type Programs } from '../fake-host.ts';
import { DEBIAN, inputChain, planned, systemctl } from '../planned-host.ts';

const SIX = {
  address: '2001:db8::1',
  subnet: '2001:db8::/64',
  range: '2001:db8::1000-2001:db8::1fff',
} as const;
const withSix = (more: Programs = {}): Programs => ({
  ...DEBIAN,
  'ip -json address': JSON.stringify([
    {
      ifname: 'br0',
      link_type: 'ether',
      flags: ['LOWER_UP'],
      addr_info: [{ family: 'inet6', local: '2001:db8::1', prefixlen: 64, scope: 'global' }],
    },
  ]),
  ...more,
});

test('on an interface with IPv6 only, sockets, advertisements and rules of the firewall are those of IPv6', async (t) => {
  const ruleset = { nftables: [inputChain('ip', 'four'), inputChain('ip6', 'six')] };
  const host = fakeHost(t, withSix({ 'nft -j': JSON.stringify(ruleset), 'nft ': '' }));
  const { ids, shows, plan, apply: make } = await planned(host, SIX);
  assert.deepEqual(ids, ['configuration', 'router-advertisements', 'user', 'firewall', 'units']);
  const { config } = plan.loaded;
  assert.deepEqual(
    [config.DEFAULT.my_ip, config.dhcp_server.subnet, config.boot_http.host_ip, config.tftp_server.addresses],
    [SIX.address, [`${SIX.subnet} range=${SIX.range} interface=br0`], SIX.address, [SIX.address]],
  );
  assert.match(
    shows('router-advertisements'),
    /AdvManagedFlag on;\n {2}AdvOtherConfigFlag on;\n {2}prefix 2001:db8::\/64 \{ AdvAutonomous off; \};/,
  );
  assert.match(shows('firewall'), /rule ip6 six input iifname "br0" udp dport \{ 547, 69 \} accept/);
  assert.match(shows('firewall'), /rule ip6 six input iifname "br0" tcp dport \{ 8080, 6386 \} accept/);
  await make();
  assert.match(
    systemctl(host).find((line) => line.startsWith('systemctl enable')) ?? '',
    / ironic-edge-dhcp6@br0\.socket ironic-edge-tftp@\\x5b2001:db8::1\\x5d\.socket /,
  );
  host.answers['systemctl is-'] = '';
  assert.ok(!(await planned(host, SIX)).ids.includes('units'), 'a second run starts nothing');
});

test('systemd-networkd tells machines to ask for an address where DHCPv6 is served', async (t) => {
  const file = '/etc/systemd/network/50-br0.network';
  const host = fakeHost(t, withSix({ 'networkctl ': `  Network File: ${file}\n` }));
  host.write(file, '[Match]\nName=br0\n');
  const { shows } = await planned(host, SIX);
  assert.match(
    shows('router-advertisements'),
    /Managed=yes\nOtherInformation=yes\n\n\[IPv6Prefix\]\nPrefix=2001:db8::\/64\nAddressAutoconfiguration=no/,
  );
});

test('the TFTP port of an IPv6 address that another program holds is named', async (t) => {
  const held = 'udp UNCONN 0 0 [2001:db8::1]:69 [::]:* users:(("in.tftpd",pid=812,fd=4))';
  const host = fakeHost(t, withSix({ 'ss -Hlnptu': held, 'systemctl list-sockets': '' }));
  await assert.rejects(planned(host, SIX), /UDP port 69, which TFTP needs, is taken by in\.tftpd/);
});
