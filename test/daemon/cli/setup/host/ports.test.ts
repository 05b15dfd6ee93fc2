import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heldPorts, portHolder } from '../../../../../daemon/cli/setup/host/ports.ts';
import { fakeHost } from '../fake-host.ts';

// as iproute2 6 prints it
const LISTENING = `
udp   UNCONN 0      0          0.0.0.0%br0:67        0.0.0.0:*    users:(("dnsmasq",pid=812,fd=4))
udp   UNCONN 0      0             10.0.0.1:69        0.0.0.0:*    users:(("systemd",pid=1,fd=40))
udp   UNCONN 0      0              0.0.0.0:4011      0.0.0.0:*    users:(("systemd",pid=1,fd=41))
tcp   LISTEN 0      511          127.0.0.1:6385      0.0.0.0:*    users:(("node",pid=900,fd=20))
tcp   LISTEN 0      511                  *:8080            *:*    users:(("apache2",pid=77,fd=4),("apache2",pid=76,fd=4))
tcp   LISTEN 0      511              [::1]:631          [::]:*    users:(("cupsd",pid=50,fd=7))
`.trim();

test('ports are held by other programs than the daemon and its socket units', async (t) => {
  const host = fakeHost(t, {
    'ss -Hlnptu': LISTENING,
    'systemctl list-sockets': '10.0.0.1:69 ironic-edge-tftp@10.0.0.1.socket ironic-edge.service\n',
  });
  host.write('/proc/900/cgroup', '0::/system.slice/ironic-edge.service\n');
  host.write('/proc/812/cmdline', '/usr/sbin/dnsmasq\0-k\0');
  host.write('/proc/812/cgroup', '0::/system.slice/dnsmasq.service\n');
  const held = await heldPorts(host);
  const seen = held.map(({ port, program }) => `${port} ${program}`);
  assert.deepEqual(seen, [
    '67 /usr/sbin/dnsmasq (process 812)',
    '4011 systemd (process 1)',
    '8080 apache2 (process 77)',
    '8080 apache2 (process 76)',
    '631 cupsd (process 50)',
  ]);
  const dhcpOn = (device: string) =>
    portHolder({ protocol: 'udp', port: 67, address: '0.0.0.0', device }, held)?.program;
  assert.equal(dhcpOn('br0'), '/usr/sbin/dnsmasq (process 812)');
  assert.equal(dhcpOn('eth1'), undefined, 'a socket of another interface is not in the way');
  const tcp = (port: number, address: string) =>
    portHolder({ protocol: 'tcp', port, address }, held)?.program;
  assert.equal(tcp(8080, '10.0.0.1'), 'apache2 (process 77)');
  assert.equal(tcp(631, '10.0.0.1'), undefined, 'another address');
});
