import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test, type TestContext } from 'node:test';
import { type InProcessDaemon, startInProcess } from '../../fakes/daemon/in-process-daemon.ts';
import { steadyLinks } from '../../fakes/daemon/steady-links.ts';
import { parseAnswer, rawAnswer } from '../../fakes/boot/boot-http.ts';
import { startBootHttp } from '../../../daemon/boot/http/start-boot-http.ts';
import { startTftpServer } from '../../../daemon/boot/tftp/server.ts';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const SUBNET = '10.0.0.0/24 range=10.0.0.50-10.0.0.250 interface=br0';
const MAC = '52:54:00:12:34:56';
const SCRIPT = 'ipxe/52-54-00-12-34-56';
const HOUR = 3_600_000;

const lease = (daemon: InProcessDaemon, address: string, mac: string | null = MAC, lasts = HOUR) =>
  daemon.services.db.dhcpLeases.put({ address, mac, expires_at: daemon.clock.now() + lasts });

async function site(t: TestContext, ini = `[dhcp_server]\nsubnet = ${SUBNET}\n`) {
  const daemon = await startInProcess(t, { ini });
  const { uuid } = await daemon.createNode();
  await daemon.createPort(uuid, MAC);
  const { networkBoots, served } = daemon.services;
  networkBoots.serveFrom('http://10.0.0.1:8080');
  networkBoots.set(uuid, {
    protocol: 'ipxe',
    title: 'installing',
    kernel: '/srv/kernel',
    ramdisk: null,
    commandLine: 'inst.ks=http://10.0.0.1:8080/secret/x/ks.cfg',
    files: { 'secret/x/ks.cfg': { text: 'token' }, 'secret/y/squashfs.img': { path: '/srv/stage2' } },
  });
  const kindFor = (name: string, address: string) => served.findFor(name, address)?.kind;
  return { daemon, uuid, served, kindFor };
}

test("a node's scripts and secret files go to the address that is leased to one of its network cards, and to no other", async (t) => {
  const { daemon, uuid, kindFor } = await site(t);
  lease(daemon, '10.0.0.50');
  lease(daemon, '10.0.0.51', '52:54:00:00:00:99');
  lease(daemon, '10.0.0.52', null);
  const names = [
    SCRIPT,
    `grub/${MAC}.cfg`,
    'pxelinux.cfg/01-52-54-00-12-34-56',
    `nodes/${uuid}/kernel`,
    'secret/x/ks.cfg',
    '/secret/x/ks.cfg',
  ];
  for (const name of names) {
    assert.notEqual(kindFor(name, '10.0.0.50'), 'withheld', name);
    assert.notEqual(kindFor(name, '10.0.0.50'), undefined, name);
    for (const other of ['10.0.0.51', '10.0.0.52', '10.0.0.66', 'fe80::1', '2001:db8::1'])
      assert.equal(kindFor(name, other), 'withheld', `${name} for ${other}`);
  }
  await daemon.clock.advance(HOUR + 1);
  assert.equal(kindFor(SCRIPT, '10.0.0.50'), 'withheld', 'the lease has ended');
});

test('a card that becomes a port of the node later may fetch its files too', async (t) => {
  const { daemon, uuid, kindFor } = await site(t);
  lease(daemon, '10.0.0.60', '52:54:00:00:00:02');
  assert.equal(kindFor('secret/x/ks.cfg', '10.0.0.60'), 'withheld');
  await daemon.createPort(uuid, '52:54:00:00:00:02');
  assert.equal(kindFor('secret/x/ks.cfg', '10.0.0.60'), 'bytes');
});

test('nothing is withheld from addresses that the DHCP server does not lease: other networks, and this host', async (t) => {
  const { kindFor } = await site(t);
  for (const address of ['192.0.2.7', '127.0.0.1']) assert.equal(kindFor(SCRIPT, address), 'bytes', address);
  const own = Object.values(networkInterfaces())
    .flatMap((all = []) => all)
    .find(({ internal, family }) => !internal && family === 'IPv4');
  assert.ok(own, 'this test needs an interface with an IPv4 address besides loopback');
  const [a, b, c] = own.address.split('.');
  const ofOwn = `[dhcp_server]\nsubnet = ${a}.${b}.${c}.0/24 range=${a}.${b}.${c}.200-${a}.${b}.${c}.210 interface=br0\n`;
  const beside = await site(t, ofOwn);
  assert.equal(beside.kindFor(SCRIPT, own.address), 'bytes');
  assert.equal(beside.kindFor(SCRIPT, `${a}.${b}.${c}.201`), 'withheld');
});

test('without a DHCP server of its own, the daemon withholds nothing', async (t) => {
  for (const ini of ['', '[dhcp_server]\nmode = proxy\nsubnet = 10.0.0.0/24 interface=br0\n']) {
    const { kindFor } = await site(t, ini);
    assert.equal(kindFor(SCRIPT, '10.0.0.66'), 'bytes', ini);
  }
});

test('a CD image for a BMC is not withheld: its name is the secret, and the BMC has an address of its own', async (t) => {
  const { daemon, uuid, kindFor } = await site(t);
  daemon.services.networkBoots.set(uuid, { cd: '/srv/cd.iso', name: 'secret/z/boot.iso' });
  assert.equal(kindFor('secret/z/boot.iso', '10.0.0.66'), 'file');
});

const LOOPBACK = '[dhcp_server]\nsubnet = 127.9.0.0/24 range=127.9.0.50-127.9.0.60 interface=lo\n';

test('HTTP answers 404 to another client and says why in an event', async (t) => {
  const { daemon, served } = await site(t, LOOPBACK);
  const events: string[] = [];
  const server = await startBootHttp(
    {
      ...daemon.services.config,
      boot_http: { ...daemon.services.config.boot_http, port: 0, host_ip: '127.0.0.1' },
    },
    undefined,
    {
      files: served,
      record: ({ text }) => void events.push(text),
      log: daemon.services.log,
      reportMissing: () => {},
    },
  );
  t.after(() => server?.close());
  const port = Number(new URL(server?.url ?? '').port);
  lease(daemon, '127.9.0.50');
  const statusFrom = async (from: string) =>
    parseAnswer(await rawAnswer(port, 'GET /secret/x/ks.cfg HTTP/1.0\r\n\r\n', from)).status;
  assert.equal(await statusFrom('127.9.0.50'), 200);
  assert.equal(await statusFrom('127.9.0.51'), 404);
  assert.equal(await statusFrom('127.9.0.50'), 200, 'a retry of the machine');
  assert.deepEqual(
    events.filter((text) => text.includes('leased')),
    [
      'asked for secret/***/ks.cfg, which is for a machine to which the DHCP server has not leased this address',
    ],
  );
});

test('TFTP refuses another client and says why in an event', async (t) => {
  const { daemon, served } = await site(t, LOOPBACK);
  const events: string[] = [];
  const server = await startTftpServer(
    { passed: [], addresses: ['127.0.0.1'], port: 0 },
    { transfers: 10, transfersPerClient: 10, blockBytes: 512 },
    {
      files: served,
      record: ({ text }) => void events.push(text),
      clock: daemon.clock,
      log: daemon.services.log,
      links: steadyLinks,
    },
  );
  t.after(() => server.stop());
  lease(daemon, '127.9.0.50');
  const [address = ''] = server.addresses;
  const port = Number(address.split(':').at(-1));
  const firstOpcode = async (from: string) => {
    const socket = createSocket('udp4');
    socket.bind(0, from);
    await once(socket, 'listening');
    socket.send(Buffer.from(`\0\x01grub/${MAC}.cfg\0octet\0`), port, '127.0.0.1');
    const [answer] = (await once(socket, 'message')) as [Buffer];
    socket.close();
    return answer.readUInt16BE(0);
  };
  assert.equal(await firstOpcode('127.9.0.50'), 3, 'data');
  assert.equal(await firstOpcode('127.9.0.51'), 5, 'error');
  assert.ok(
    events.some((text) => text.includes('which is for a machine')),
    events.join(),
  );
});

const visit = (daemon: InProcessDaemon, visitor: string, path: string, body?: object) =>
  daemon.app.fetch(
    new Request(`http://127.0.0.1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', 'openstack-api-version': 'baremetal 1.90' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
    { visitor },
  );

test('a lookup gets the node and its token from the leased address only, and from another address it changes nothing', async (t) => {
  const { daemon, uuid } = await site(t);
  daemon.services.db.nodes.update(uuid, { provision_state: 'clean wait' });
  lease(daemon, '10.0.0.50');
  const before = daemon.node(uuid);
  const from = (visitor: string) => visit(daemon, visitor, `/v1/lookup?addresses=${MAC}`);
  assert.equal((await from('10.0.0.66')).status, 404);
  assert.equal((await visit(daemon, '10.0.0.66', `/v1/lookup?node_uuid=${uuid}`)).status, 404);
  assert.deepEqual(daemon.node(uuid), before);
  assert.match(daemon.log(), /the DHCP server has not leased its address/);
  const answer = (await (await from('10.0.0.50')).json()) as { config: { agent_token: string } };
  assert.equal(answer.config.agent_token.length, 43);
});

test('an inspection report from another address than the leased one is refused, and the node goes on waiting', async (t) => {
  const { daemon, uuid } = await site(t);
  daemon.services.db.nodes.update(uuid, { provision_state: 'inspect wait' });
  lease(daemon, '10.0.0.50');
  const report = {
    inventory: {
      interfaces: [{ name: 'eth0', mac_address: MAC }],
      cpu: { count: 1, architecture: 'x86_64' },
      memory: { physical_mb: 1 },
      disks: [],
    },
  };
  const from = async (visitor: string) =>
    (await visit(daemon, visitor, '/v1/continue_inspection', report)).status;
  assert.equal(await from('10.0.0.66'), 404);
  assert.equal(daemon.node(uuid).provision_state, 'inspect wait');
  assert.equal(await from('10.0.0.50'), 202);
  await daemon.idle();
});

test("once the installer has reported, its kickstart file is gone, and the installer's second stage is still served", async (t) => {
  const { daemon, uuid, kindFor } = await site(t);
  lease(daemon, '10.0.0.50');
  daemon.services.networkBoots.endTexts(uuid);
  assert.equal(kindFor('secret/x/ks.cfg', '10.0.0.50'), undefined);
  assert.equal(kindFor('secret/y/squashfs.img', '10.0.0.50'), 'file');
  assert.equal(kindFor(SCRIPT, '10.0.0.50'), 'bytes');
});

test('an IPv6 address that is leased to another machine, or to none, gets nothing', async (t) => {
  const { daemon, kindFor } = await site(
    t,
    '[dhcp_server]\nsubnet = 2001:db8::/64 range=2001:db8::50-2001:db8::99 interface=br0\n',
  );
  const give = (address: string, mac: string) =>
    daemon.services.db.dhcp6Leases.put({ address, mac, expires_at: daemon.clock.now() + HOUR });
  give('2001:db8::50', MAC);
  give('2001:db8::51', '52:54:00:00:00:99');
  assert.equal(kindFor(SCRIPT, '2001:db8::50'), 'bytes');
  for (const other of ['2001:db8::51', '2001:db8::52', 'fe80::5054:ff:fe12:3456', '192.0.2.7'])
    assert.equal(kindFor(SCRIPT, other), 'withheld', other);
  assert.equal(kindFor(SCRIPT, '2001:db8:9::1'), 'bytes', 'nothing is known of other networks');
});
