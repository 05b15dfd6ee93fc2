// The daemon's DHCP server with real DHCP clients, a real host that uses an address, and another real DHCP server.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { PRINT_LEASE, server, space, SUBNET, udhcpc } from '../../fakes/boot/dhcp-network.ts';
import { mac } from '../../fakes/boot/dhcp-site.ts';
import { saidUntil } from '../../fakes/boot/network-space.ts';
import { skipWithout } from '../../setup/packages.ts';

const UEFI = ['-V', 'PXEClient:Arch:00007:UNDI:003001', '-x', '0x5d:0007'];
/** Perl: runs a command and passes it a socket called dhcp-server, bound to the interface named before the command, if any. */
const PASS_ANY = `use Socket; $^F = 255; socket(my $s, AF_INET, SOCK_DGRAM, 0);
  setsockopt($s, SOL_SOCKET, 25, shift(@ARGV) . "\\0") if $ARGV[0] !~ m{/};
  bind($s, sockaddr_in(67, INADDR_ANY)); @ENV{qw(LISTEN_FDS LISTEN_FDNAMES LISTEN_PID)} = (1, 'dhcp-server', $$); exec @ARGV`;
const skip = skipWithout('iproute2') || skipWithout('udhcpc');

test(
  'udhcpc, dhclient and dhcpcd get addresses, and the first two get the same ones after a kill of the daemon',
  { skip },
  async (t) => {
    const lab = await space(t);
    const [a, b, c, stranger] = [mac(1), mac(2), mac(3), mac(9)];
    const daemon = server(t, lab, [a, b, c]);
    await daemon.start({ subnet: SUBNET });
    const folder = mkdtempSync(join(tmpdir(), 'dhcp-clients-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));

    assert.equal((await udhcpc(lab, a))?.['ip'], '10.99.0.50');
    assert.equal((await udhcpc(lab, a, UEFI))?.['boot_file'], 'snponly.efi');
    assert.equal(await udhcpc(lab, stranger), undefined, 'no port has its MAC address');

    const leaseFile = join(folder, 'dhclient.leases');
    const files = ['-lf', leaseFile, '-pf', join(folder, 'pid'), '-sf', '/bin/true', '-cf', '/dev/null'];
    const dhclient = () => saidUntil(lab.spawn('dhclient', '-d', ...files, lab.interfaceOf(b)), 'bound to');
    assert.match(await dhclient(), /DHCPDISCOVER[\s\S]*DHCPACK of 10\.99\.0\.51 from 10\.99\.0\.1/);

    const dhcpcd = lab.spawn(
      'dhcpcd',
      '--nobackground',
      '--oneshot',
      // the own script of dhcpcd would replace /etc/resolv.conf of this host
      '--script',
      '/bin/true',
      '-4',
      '-f',
      '/dev/null',
      lab.interfaceOf(c),
    );
    assert.match(await saidUntil(dhcpcd, 'leased 10.99.0.52'), /leased 10\.99\.0\.52 for 3600 seconds/);

    await daemon.end('SIGKILL');
    await daemon.start({ subnet: SUBNET });
    const again = await dhclient();
    assert.match(
      again,
      /DHCPREQUEST for 10\.99\.0\.51[\s\S]*DHCPACK of 10\.99\.0\.51/,
      'dhclient requests its earlier address and gets it',
    );
    assert.equal((await udhcpc(lab, a))?.['ip'], '10.99.0.50');
  },
);

test(
  'with a default route on another card, answers leave on the card that faces the machines',
  { skip },
  async (t) => {
    const lab = await space(t);
    lab.run('ip', 'link', 'add', 'uplink', 'type', 'bridge');
    lab.run('ip', 'address', 'add', '10.88.0.1/24', 'dev', 'uplink');
    lab.run('ip', 'link', 'set', 'uplink', 'up');
    lab.run('ip', 'route', 'add', 'default', 'via', '10.88.0.254', 'dev', 'uplink');
    await server(t, lab, [mac(1)]).start({ subnet: SUBNET });
    const lease = await udhcpc(lab, mac(1));
    assert.deepEqual([lease?.['ip'], lease?.['serverid']], ['10.99.0.50', '10.99.0.1']);
  },
);

test(
  'an address that a host uses is not given away, and another DHCP server is reported',
  { skip },
  async (t) => {
    const lab = await space(t);
    const host = await lab.host('10.99.0.50/24');
    t.after(() => host[Symbol.asyncDispose]());
    const range = '--dhcp-range=10.99.0.200,10.99.0.210,1h';
    const words = [
      '--no-daemon',
      '--conf-file=/dev/null',
      '--port=0',
      '--interface=eth0',
      '--bind-interfaces',
      range,
    ];
    const rival = host.spawn('dnsmasq', ...words);
    rival.stderr.resume();
    const daemon = server(t, lab, [mac(1)]);
    await daemon.start({ subnet: SUBNET });

    const warning = await daemon.logged(
      ({ level, server: other }) => level === 'warn' && other !== undefined,
    );
    assert.equal(warning['server'], '10.99.0.50');
    const child = lab.spawn(
      'udhcpc',
      '--foreground',
      '--quit',
      '--now',
      '--interface',
      lab.interfaceOf(mac(1)),
      '--script',
      PRINT_LEASE,
    );
    child.stderr.resume();
    await text(child.stdout);
    const conflict = await daemon.logged(({ msg: said }) =>
      String(said).startsWith('does not get 10.99.0.50'),
    );
    assert.match(String(conflict['msg']), /uses that address/);
    await daemon.logged(({ msg: said }) => said === 'is offered 10.99.0.51 (os)');
  },
);

test(
  'an address with a stale neighbour entry is given away only when no host answers for it',
  { skip },
  async (t) => {
    const lab = await space(t);
    const host = await lab.host('10.99.0.50/24');
    t.after(() => host[Symbol.asyncDispose]());
    const [, user = ''] = /ether (\S+)/.exec(host.run('ip', 'link', 'show', 'eth0')) ?? [];
    const daemon = server(t, lab, [mac(1)]);
    await daemon.start({ subnet: SUBNET.replace('10.99.0.99', '10.99.0.51') });
    for (const [address, lladdr] of [
      ['10.99.0.50', user],
      ['10.99.0.51', mac(77)],
    ] as const)
      lab.run('ip', 'neigh', 'add', address, 'lladdr', lladdr, 'dev', 'server', 'nud', 'stale');
    // the kernel needs 8 s to find out that a host is gone
    const words = ['--retries', '20', '--timeout', '1'];
    assert.equal((await udhcpc(lab, mac(1), words))?.['ip'], '10.99.0.51');
    await daemon.logged(({ msg: said }) => said === `does not get 10.99.0.50: ${user} uses that address`);
    assert.ok(!daemon.log.some(({ msg: said }) => /10\.99\.0\.51: .* uses that/.test(String(said))));
  },
);

test(
  'without a socket for the interface, the daemon does not start, and says which one is missing',
  { skip },
  async (t) => {
    const lab = await space(t);
    const daemon = server(t, lab, [], []);
    await assert.rejects(
      daemon.start({ subnet: SUBNET }),
      /no socket called dhcp-server.*Enable ironic-edge-dhcp@server\.socket, or start the daemon with "with-sockets dhcp-server -- ironic-edge serve"/,
    );
  },
);

test(
  'a socket that is bound to another interface, or to none, is bound to the right one',
  { skip },
  async (t) => {
    const lab = await space(t);
    lab.run('ip', 'link', 'add', 'office', 'type', 'bridge');
    for (const [number, bound] of [[], ['office']].entries()) {
      const daemon = server(t, lab, [mac(number)], ['perl', '-e', PASS_ANY, ...bound]);
      await daemon.start({ subnet: SUBNET });
      assert.equal((await udhcpc(lab, mac(number)))?.['ip'], '10.99.0.50');
      await daemon.end('SIGKILL');
    }
  },
);
