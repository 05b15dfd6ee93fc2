import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { findingLimits } from '../../../../daemon/conductor/limits.ts';
import { draftRecord } from '../../../../daemon/conductor/records/new-record.ts';
import { type FoundBmc, foundBmcFields } from '../../../../daemon/model/zero-touch/found-bmc.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const MAC = '52:54:00:00:09:01';

async function site(t: TestContext, networks: string) {
  const ini = `[zero_touch]\nbmc_networks = ${networks}\n`;
  const daemon = await startInProcess(t, { ini });
  const { foundBmcs } = daemon.services.db;
  const found = (given: Partial<FoundBmc>) => {
    const bmc = draftRecord<FoundBmc>(foundBmcFields, given);
    foundBmcs.insert(bmc);
    return bmc.uuid;
  };
  const scan = (asked: unknown) =>
    daemon.request('POST', '/v1/found_bmcs/scan', { body: { networks: asked } });
  return { daemon, found, scan };
}

const nodesIn = (list: unknown) =>
  (list as readonly FoundBmc[]).map(({ address, node_uuid: node }) => [address, node]);

test('found BMCs are listed with the nodes whose driver_info names their addresses', async (t) => {
  const { daemon, found } = await site(t, '10.0.9.0/24');
  const redfish = await daemon.createNode({
    driver: 'fake-hardware',
    driver_info: { redfish_address: 'https://10.0.9.1:443/x' },
  });
  const ipmi = await daemon.createNode({ driver: 'ipmi', driver_info: { ipmi_address: '10.0.9.2' } });
  const other = await daemon.createNode({ driver: 'ipmi', driver_info: { ipmi_address: '10.0.9.33' } });
  for (const address of ['10.0.9.1', '10.0.9.2', '10.0.9.3']) found({ address });
  found({ address: '10.0.9.4', node_uuid: other.uuid });
  const list = async () => nodesIn((await daemon.request('GET', '/v1/found_bmcs')).body['found_bmcs']);
  const expected = [
    ['10.0.9.1', redfish.uuid],
    ['10.0.9.2', ipmi.uuid],
    ['10.0.9.3', null],
    ['10.0.9.4', other.uuid],
  ];
  assert.deepEqual(await list(), expected);
  for (let each = 100; each < 120; each += 1) found({ address: `10.0.9.${each}` });
  assert.deepEqual((await list()).slice(0, 4), expected, 'the same among many');
  const named = await daemon.request('GET', '/v1/found_bmcs?fields=mac&limit=1');
  assert.deepEqual(Object.keys((named.body['found_bmcs'] as readonly object[])[0] ?? {}), ['mac', 'links']);
  await daemon.request('DELETE', `/v1/nodes/${other.uuid}`);
  assert.deepEqual((await list())[3], ['10.0.9.4', null]);
});

test('a found BMC is shown and forgotten by its UUID, IP address or MAC address', async (t) => {
  const { daemon, found } = await site(t, '10.0.9.0/24,fd00:9::/64');
  const uuid = found({ address: 'fd00:9::1', mac: MAC });
  for (const name of [uuid, 'fd00:9:0::1', MAC.toUpperCase()])
    assert.equal((await daemon.request('GET', `/v1/found_bmcs/${name}`)).body.uuid, uuid, name);
  assert.equal((await daemon.request('DELETE', `/v1/found_bmcs/${MAC}`)).status, 204);
  const { status, fault } = await daemon.request('GET', '/v1/found_bmcs/10.0.9.9');
  assert.deepEqual([status, fault], [404, 'No BMC with UUID, IP address or MAC address 10.0.9.9 was found.']);
});

test('a scan of networks that the operator did not name, or of too many addresses, is refused and asks nothing', async (t) => {
  const { daemon, scan } = await site(t, '10.0.0.0/8,fd00:9::/64');
  const refusals: readonly (readonly [asked: unknown, fault: RegExp])[] = [
    [
      ['10.0.9.0/24', '192.0.2.0/24'],
      /^192\.0\.2\.0\/24 is not inside \[zero_touch\] bmc_networks \(10\.0\.0\.0\/8, fd00:9::\/64\)/,
    ],
    [['0.0.0.0/0'], /^0\.0\.0\.0\/0 is not inside/],
    [
      [],
      /^A scan of 10\.0\.0\.0\/8, fd00:9::\/64 would ask too many addresses: expected at most 65536 IPv4 and 1024 IPv6/,
    ],
    [['10.1.0.0/16', '10.2.0.0/16'], /^A scan of 10\.2\.0\.0\/16 would ask too many/],
    [['fd00:9::/117'], /^A scan of fd00:9::\/117 would ask too many/],
    [['rack 1'], /"rack 1" is not a network. Expected one as 10\.0\.9\.0\/24, or an address/],
    [[7], /7 is not a network/],
    ['10.0.9.0/24', /not a list/],
  ];
  for (const [asked, expected] of refusals) {
    const { status, fault } = await scan(asked);
    assert.equal(status, 400, JSON.stringify(asked));
    assert.match(fault, expected);
  }
  assert.deepEqual((await daemon.request('GET', '/v1/found_bmcs/scan')).body['scan'], null);
});

test('without networks of BMCs there is no scan', async (t) => {
  const { scan, daemon } = await site(t, '');
  const { status, fault } = await scan([]);
  assert.deepEqual(
    [status, fault.slice(0, 76)],
    [409, 'The daemon looks for no BMCs, because [zero_touch] bmc_networks is empty. Se'],
  );
  daemon.services.foundBmcs.hear({ source: 'dhcp', address: '10.0.9.1', mac: MAC });
  await daemon.idle();
  assert.deepEqual((await daemon.request('GET', '/v1/found_bmcs')).body['found_bmcs'], []);
});

test('hints are stored for addresses in the networks of BMCs only, each address at most once an hour', async (t) => {
  const { daemon } = await site(t, '127.0.9.0/24');
  const { foundBmcs, db } = daemon.services;
  const told: (string | null)[] = [];
  foundBmcs.changed.add(({ address }) => {
    assert.ok(db.foundBmcs.findBy('address', address ?? ''), 'it is stored when listeners are told');
    told.push(address);
  });
  const hear = async (address: string, hostname: string) => {
    foundBmcs.hear({ source: 'dhcp', address, mac: MAC, hostname });
    await daemon.idle();
    return db.foundBmcs.findBy('address', address)?.hostname;
  };
  assert.equal(await hear('127.0.8.1', 'a'), undefined);
  assert.equal(await hear('127.0.9.1', 'a'), 'a');
  assert.equal(await hear('127.0.9.1', 'b'), 'a');
  foundBmcs.hear({ source: 'report', address: '127.0.9.1', sender: '10.0.0.1' });
  await daemon.idle();
  const sources = () => db.foundBmcs.findBy('address', '127.0.9.1')?.sources;
  assert.deepEqual(sources(), ['dhcp', 'report'], 'for each sender');
  await daemon.clock.advance(3_600_000);
  assert.equal(await hear('127.0.9.1', 'c'), 'c');
  assert.deepEqual(told, ['127.0.9.1']);
});

test('of a flood of hints, only some are stored', async (t) => {
  const { daemon } = await site(t, '10.0.0.0/16');
  const { foundBmcs, db } = daemon.services;
  for (let each = 0; each < 2000; each += 1) {
    const low = `${each >> 8}.${each & 255}`;
    const mac = `52:54:00:00:${(each + 65_536).toString(16).slice(1).replace(/../, '$&:')}`;
    foundBmcs.hear({ source: 'dhcp', address: `10.0.${low}`, mac });
  }
  await daemon.idle();
  assert.equal(db.foundBmcs.where({ sql: 'true', values: [] }).length, findingLimits.hints.burst);
});
