import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test, type TestContext } from 'node:test';
import { startInProcess } from '../../../../fakes/daemon/in-process-daemon.ts';

const [A, B] = ['52:54:00:00:00:0a', '52:54:00:00:00:0b'] as const;
const SUBNET = '10.0.0.0/24 range=10.0.0.50-10.0.0.99 router=10.0.0.254 dns=10.0.0.253 interface=br0';

async function site(t: TestContext, server = `subnet = ${SUBNET}`) {
  const daemon = await startInProcess(t, { ini: `my_ip = 10.0.0.1\n[dhcp_server]\n${server}\n` });
  const { uuid } = await daemon.createNode();
  const create = (address: string, extra: unknown) =>
    daemon.request('POST', '/v1/ports', { body: { node_uuid: uuid, address, extra } });
  const set = (port: string, field: string, value: unknown) =>
    daemon.request('PATCH', `/v1/ports/${port}`, { body: [{ op: 'add', path: `/extra/${field}`, value }] });
  return { daemon, uuid, create, set };
}

const local = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === 'IPv4' && !each.internal)?.address;

const WRONG: readonly (readonly [unknown, RegExp])[] = [
  ['10.0.0.1', /extra\/ipv4_address.*"10\.0\.0\.1": it is an address of this host; choose another/],
  ...(local === undefined ? [] : [[local, /it is an address of this host/] as const]),
  ...['10.0.0.0', '10.0.0.255', '10.0.0.254'].map(
    (value) =>
      [value, /it is the address of the network 10\.0\.0\.0\/24, its broadcasts or its router/] as const,
  ),
  ...[
    'nonsense',
    '10.0.0',
    '010.0.0.9',
    '10.0.0.9/24',
    '',
    5,
    true,
    {},
    ['10.0.0.9'],
    '0.0.0.0',
    '127.0.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
  ].map((value) => [value, /expected the IPv4 address of one machine, such as \\?"10\.0\.0\.9/] as const),
];

test('a port cannot reserve an address that no machine can have, neither at its creation nor later', async (t) => {
  const { daemon, uuid, create, set } = await site(t);
  const { uuid: port } = await daemon.createPort(uuid, B, { extra: { ipv4_address: '10.0.0.9' } });
  for (const [value, reason] of WRONG) {
    const shown = JSON.stringify(value);
    for (const answer of [await create(A, { ipv4_address: value }), await set(port, 'ipv4_address', value)]) {
      assert.equal(answer.status, 400, shown);
      assert.match(answer.fault, reason, shown);
    }
  }
  assert.deepEqual((await daemon.request('GET', `/v1/ports/${port}`)).body['extra'], {
    ipv4_address: '10.0.0.9',
  });
  assert.equal((await daemon.request('GET', '/v1/ports')).body.ports.length, 1, 'no port was created');
});

test('two ports cannot reserve the same address; a port keeps its own', async (t) => {
  const { create, set } = await site(t);
  const first = await create(A, { ipv4_address: '10.0.0.9' });
  const second = await create(B, { ipv4_address: '10.0.0.9' });
  assert.deepEqual([first.status, second.status], [201, 400]);
  assert.match(second.fault, /the port with the MAC address 52:54:00:00:00:0a reserves it/);
  assert.equal((await set(first.body.uuid, 'ipv4_address', '10.0.0.9')).status, 200);
  assert.equal((await set(first.body.uuid, 'ipv4_address', null)).status, 200);
  assert.equal((await create(B, { ipv4_address: '10.0.0.9' })).status, 201);
});

test("an address in a network of another server is accepted, and a DNS server's: it may be the machine", async (t) => {
  const { create } = await site(t);
  assert.equal((await create(B, { ipv4_address: '10.0.0.253' })).status, 201);
  assert.equal((await create(A, { ipv4_address: '192.0.2.9' })).status, 201);
});

test('DHCP options that cannot be sent are refused, and change nothing', async (t) => {
  const { daemon, uuid, create, set } = await site(t);
  const { uuid: port } = await daemon.createPort(uuid, A, {
    extra: { dhcp_options: { 'interface-mtu': 9000 } },
  });
  for (const [options, reason] of [
    [{ 'interface-mtu': 'big' }, /extra\/dhcp_options.*option 26 \(interface-mtu\)/],
    [{ 53: 1 }, /option 53 \(dhcp-message-type\) cannot be set: the daemon sets it in each message/],
    ['26=9000', /is not an object of options/],
  ] as const) {
    const answers = [await create(B, { dhcp_options: options }), await set(port, 'dhcp_options', options)];
    for (const answer of answers) {
      assert.equal(answer.status, 400);
      assert.match(answer.fault, reason);
    }
  }
  const { body } = await daemon.request('GET', `/v1/ports/${port}`);
  assert.deepEqual(body['extra'], { dhcp_options: { 'interface-mtu': 9000 } });
});

test('what a port already has does not hinder other changes, and without a DHCP server anything may be in `extra`', async (t) => {
  const { daemon, uuid, set } = await site(t);
  const { uuid: port } = await daemon.createPort(uuid, A);
  daemon.services.db.ports.update(port, { extra: { ipv4_address: 'old nonsense' } });
  assert.equal((await set(port, 'other', 1)).status, 200);
  for (const server of ['', `mode = proxy\nsubnet = 10.0.0.0/24 interface=br0`]) {
    const other = await site(t, server);
    assert.equal((await other.create(A, { ipv4_address: 'x', dhcp_options: 5 })).status, 201, server);
  }
});

test('a port reserves an IPv6 address in its canonical form, and no machine gets that of another', async (t) => {
  const { daemon, create } = await site(
    t,
    'subnet = 2001:db8::/64 range=2001:db8::50-2001:db8::99 interface=br0',
  );
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    ['10.0.0.9', /expected the IPv6 address of one machine/],
    ['fe80::1', /expected the IPv6 address of one machine/],
    ['2001:DB8::9', /expected its canonical form, .*2001:db8::9/],
    ['2001:db8::', /it is the address of the network 2001:db8::\/64/],
  ];
  for (const [value, reason] of wrong) {
    const reply = await create(A, { ipv6_address: value });
    assert.equal(reply.status, 400);
    assert.match(JSON.stringify(reply.body), reason);
  }
  assert.equal((await create(A, { ipv6_address: '2001:db8::9' })).status, 201);
  assert.equal((await create(B, { ipv6_address: '2001:db8::9' })).status, 400);
  assert.equal(daemon.services.db.bootingPorts.reservedFor('2001:db8::9'), A);
});
