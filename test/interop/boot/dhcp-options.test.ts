// DHCP options and relays with real DHCP clients and a real relay.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { DhcpServerProcess, WITH_SOCKETS } from '../../fakes/boot/dhcp-server-process.ts';
import { fakePort, mac } from '../../fakes/boot/dhcp-site.ts';
import { NetworkSpace } from '../../fakes/boot/network-space.ts';
import { fakeNode } from '../../fakes/task.ts';
import { skipWithout } from '../../setup/packages.ts';

const PRINT_LEASE = join(import.meta.dirname, '../../fakes/boot/print-lease.sh');
const skip = skipWithout('iproute2') || skipWithout('udhcpc');
const RANGE = '10.99.0.0/24 range=10.99.0.50-10.99.0.99';

async function space(t: TestContext): Promise<NetworkSpace> {
  const made = await NetworkSpace.start();
  t.after(() => made[Symbol.asyncDispose]());
  return made;
}

/** A daemon, not yet started, that knows the machine with this MAC address. */
function server(
  t: TestContext,
  on: NetworkSpace,
  { socket, extra = {} }: { readonly socket: string; readonly extra?: Parameters<typeof fakePort>[2] },
): DhcpServerProcess {
  const daemon = new DhcpServerProcess(on, [WITH_SOCKETS, socket, '--']);
  t.after(() => daemon[Symbol.asyncDispose]());
  const db = daemon.database();
  const node = fakeNode({ uuid: randomUUID(), name: null, boot_interface: 'ipxe' });
  db.nodes.insert(node);
  db.ports.insert(fakePort(node.uuid, mac(1), extra));
  db.close();
  return daemon;
}

/** The values that udhcpc is given, by udhcpc's names for them. */
async function udhcpc(on: NetworkSpace, ...words: readonly string[]) {
  const fixed = '--foreground --quit --now --retries 10 --timeout 1 --script'.split(' ');
  const child = on.spawn('udhcpc', ...fixed, PRINT_LEASE, '--interface', on.interfaceOf(mac(1)), ...words);
  child.stderr.resume();
  const lines = (await text(child.stdout)).split('\n').map((line) => line.split(/=(.*)/s, 2));
  return Object.fromEntries(lines) as Readonly<Record<string, string | undefined>>;
}

test(
  'udhcpc reads the options of subnet and port: MTU, search domains, classless routes, TFTP servers and bytes',
  { skip },
  async (t) => {
    const lab = await space(t);
    const extra = { extra: { dhcp_options: { 'interface-mtu': 1400 } } };
    const daemon = server(t, lab, { socket: 'dhcp-server', extra });
    await daemon.start({
      subnet: `${RANGE} router=10.99.0.1 interface=server`,
      options:
        '{"26": 9000, "119": "rack.example,b.example", "121": "0.0.0.0/0,10.99.0.1,10.0.0.0/8,10.99.0.2", "150": "10.99.0.9"},10.99.0.0/24 {"224": "hex:0a0b", "66!": "phones.example"}',
    });
    const lease = await udhcpc(
      lab,
      ...['mtu', 'search', 'staticroutes', '150', '224'].flatMap((name) => ['-O', name]),
    );
    assert.equal(lease['mtu'], '1400', 'the option of the port precedes');
    assert.equal(lease['search'], 'rack.example b.example');
    assert.equal(lease['staticroutes'], '0.0.0.0/0 10.99.0.1 10.0.0.0/8 10.99.0.2');
    assert.equal(lease['tftp'], 'phones.example', 'set for clients that do not ask for it');
    assert.equal(lease['opt150'], '0a630009');
    assert.equal(lease['opt224'], '0a0b');
    const without = await udhcpc(lab);
    assert.deepEqual(
      [without['ip'], without['mtu'], without['opt224']],
      ['10.99.0.50', undefined, undefined],
    );
  },
);

test(
  'a site whose machines are all behind a relay is served at one address, and hears no broadcast',
  { skip: skip || skipWithout('dnsmasq-base') },
  async (t) => {
    const lab = await space(t);
    lab.run('ip', 'link', 'add', 'uplink', 'type', 'bridge');
    lab.run('ip', 'address', 'add', '10.77.0.1/24', 'dev', 'uplink');
    lab.run('ip', 'link', 'set', 'uplink', 'up');
    const daemon = server(t, lab, { socket: 'dhcp-relay=10.77.0.1:67' });
    await daemon.start({ subnet: `${RANGE} router=10.99.0.1` });
    assert.ok(
      daemon.log.some(({ msg, address }) => msg === 'serving DHCP relays' && address === '10.77.0.1'),
    );

    const silent = await udhcpc(lab, '--retries', '2');
    assert.equal(silent['ip'], undefined, 'there is no relay yet');

    const relay = await lab.host('10.99.0.2/24');
    t.after(() => relay[Symbol.asyncDispose]());
    relay.run('ip', 'route', 'add', '10.77.0.1', 'via', '10.99.0.1');
    const dnsmasq =
      '--no-daemon --conf-file=/dev/null --port=0 --interface=eth0 --dhcp-relay=10.99.0.2,10.77.0.1';
    relay.spawn('dnsmasq', ...dnsmasq.split(' ')).stderr.resume();
    const lease = await udhcpc(lab);
    assert.deepEqual(
      [lease['ip'], lease['router'], lease['serverid']],
      ['10.99.0.50', '10.99.0.1', '10.77.0.1'],
    );
  },
);

test(
  'relays are served as soon as this host has the address that they send to; until then the daemon says what is missing',
  { skip },
  async (t) => {
    const lab = await space(t);
    lab.run('ip', 'link', 'add', 'uplink', 'type', 'bridge');
    const daemon = new DhcpServerProcess(lab, ['env', 'IRONIC_DEFAULT__MY_IP=10.77.0.1']);
    t.after(() => daemon[Symbol.asyncDispose]());
    await daemon.start({ subnet: RANGE });
    const { missing } = await daemon.logged(({ what }) => what === 'DHCP relays at 10.77.0.1');
    assert.match(
      String(missing),
      /this host does not have 10\.77\.0\.1; give it the address, or set \[DEFAULT\] my_ip/,
    );
    lab.run('ip', 'address', 'add', '10.77.0.1/24', 'dev', 'uplink');
    await daemon.logged(({ msg, address }) => msg === 'serving DHCP relays' && address === '10.77.0.1');
  },
);
