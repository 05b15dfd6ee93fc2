// gophercloud's calls on ports, allocations, drivers, conductors and API versions, and those that connect to the API.
import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { DaemonProcess } from '../../../fakes/daemon/daemon-process.ts';
import { type Library, type Scenarios, uuidsOf } from '../library.ts';
import { DRIVERS, HOST, MISSING, type Site } from '../site.ts';

async function createPort(go: Library, site: Site): Promise<void> {
  const { uuid: node_uuid } = await site.node();
  const group = await site.made('/v1/portgroups', { node_uuid });
  const written = {
    node_uuid,
    address: site.mac(),
    portgroup_uuid: group.uuid,
    local_link_connection: { port_id: 'p', hostname: 'h' },
    pxe_enabled: false,
    physical_network: 'net1',
    extra: { slot: 1 },
    is_smartnic: true,
  };
  assert.partialDeepStrictEqual(await go.record('ports.Create', [written]), written);
  assert.match(await go.refused('ports.Create', [written]), /409.*already exists/s);
}

async function newPort(site: Site, fields: object = {}) {
  const { uuid: node_uuid } = await site.node();
  const address = site.mac();
  return { ...(await site.made('/v1/ports', { node_uuid, address, ...fields })), node_uuid, address };
}

async function listPorts(go: Library, site: Site): Promise<void> {
  const port = await newPort(site);
  const next = await newPort(site);
  for (const filter of [{ Address: port.address }, { Node: port.node_uuid }, { NodeUUID: port.node_uuid }])
    assert.deepEqual(uuidsOf(await go.records('ports.List', [filter])), [port.uuid], JSON.stringify(filter));
  const page = { Marker: port.uuid, Limit: 1, SortKey: 'id', SortDir: 'asc', Fields: ['uuid', 'extra'] };
  assert.partialDeepStrictEqual(await go.records('ports.List', [page]), [{ uuid: next.uuid, address: '' }]);
  assert.match(await go.refused('ports.List', [{ Node: 'nobody' }]), /404.*nobody/s);
}

async function detailPorts(go: Library, site: Site): Promise<void> {
  const port = await newPort(site, { extra: { slot: 1 } });
  assert.partialDeepStrictEqual(await go.records('ports.ListDetail', [{ Address: port.address }]), [
    { uuid: port.uuid, extra: { slot: 1 }, node_uuid: port.node_uuid },
  ]);
}

async function getPort(go: Library, site: Site): Promise<void> {
  const { uuid, address } = await newPort(site);
  assert.partialDeepStrictEqual(await go.record('ports.Get', [uuid]), { uuid, address, pxe_enabled: true });
  assert.match(await go.refused('ports.Get', [MISSING]), /404/);
}

async function updatePort(go: Library, site: Site): Promise<void> {
  const { uuid } = await newPort(site, { extra: { slot: 1 } });
  const address = site.mac();
  const changed = await go.record('ports.Update', [
    uuid,
    [
      { op: 'replace', path: '/address', value: address },
      // gophercloud sends the value null with a removal
      { op: 'remove', path: '/extra/slot' },
    ],
  ]);
  assert.partialDeepStrictEqual(changed, { address, extra: {} });
  assert.partialDeepStrictEqual(await site.shown(`/v1/ports/${uuid}`), { address, extra: {} });
  const bad = [{ op: 'replace', path: '/address', value: 'nonsense' }];
  assert.match(await go.refused('ports.Update', [uuid, bad]), /400.*nonsense/s);
}

async function deletePort(go: Library, site: Site): Promise<void> {
  const { uuid } = await newPort(site);
  await go.done('ports.Delete', [uuid]);
  await site.gone(`/v1/ports/${uuid}`);
  assert.match(await go.refused('ports.Delete', [uuid]), /404/);
}

async function createAllocation(go: Library, site: Site): Promise<void> {
  const candidate = await site.node();
  const written = {
    resource_class: 'none-such',
    candidate_nodes: [candidate.uuid],
    name: site.name('wish'),
    traits: ['CUSTOM_GPU'],
    uuid: site.uuid(),
    extra: { k: 'v' },
  };
  const made = await go.record('allocations.Create', [written]);
  assert.partialDeepStrictEqual(made, { ...written, state: 'allocating' });
  assert.match(await go.refused('allocations.Create', [written]), /409/);
}

async function listAllocations(go: Library, site: Site): Promise<void> {
  const resource_class = site.name('class');
  const node = await site.node({ resource_class }, 'available');
  await site.power(node.uuid, 'power off');
  const met = await site.made('/v1/allocations', { resource_class });
  await site.nodeWhen(node.uuid, ({ instance_uuid }) => instance_uuid !== null);
  for (const filter of [
    { Node: node.uuid },
    { ResourceClass: resource_class },
    { ResourceClass: resource_class, State: 'active', Limit: 5, SortKey: 'id', SortDir: 'desc' },
    { Node: node.uuid, Fields: ['uuid'] },
  ])
    assert.deepEqual(
      uuidsOf(await go.records('allocations.List', [filter])),
      [met.uuid],
      JSON.stringify(filter),
    );
  assert.match(await go.refused('allocations.List', [{ Node: 'nobody' }]), /400.*nobody/s);
}

async function getAllocation(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.made('/v1/allocations', { resource_class: 'none-such' });
  const got = await go.record('allocations.Get', [uuid]);
  assert.partialDeepStrictEqual(got, { uuid, resource_class: 'none-such', node_uuid: '' });
  assert.match(await go.refused('allocations.Get', [MISSING]), /404/);
}

async function deleteAllocation(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.made('/v1/allocations', { resource_class: 'none-such' });
  await go.done('allocations.Delete', [uuid]);
  await site.gone(`/v1/allocations/${uuid}`);
  assert.match(await go.refused('allocations.Delete', [uuid]), /404/);
}

async function listDrivers(go: Library): Promise<void> {
  const names = (await go.records('drivers.ListDrivers', [{}])).map((driver) => String(driver['name']));
  assert.deepEqual(names.toSorted(), DRIVERS);
  assert.deepEqual(await go.records('drivers.ListDrivers', [{ Type: 'classic' }]), []);
  const detailed = await go.records('drivers.ListDrivers', [{ Detail: true }]);
  assert.equal(detailed.find(({ name }) => name === 'ipmi')?.['default_power_interface'], 'ipmitool');
}

async function driverDetails(go: Library): Promise<void> {
  assert.partialDeepStrictEqual(await go.record('drivers.GetDriverDetails', ['ipmi']), {
    name: 'ipmi',
    type: 'dynamic',
    hosts: [HOST],
    default_power_interface: 'ipmitool',
  });
  assert.match(await go.refused('drivers.GetDriverDetails', ['nothing']), /404.*nothing/s);
}

async function driverProperties(go: Library): Promise<void> {
  const properties = await go.record('drivers.GetDriverProperties', ['ipmi']);
  assert.match(String(properties['ipmi_address']), /Required/);
  assert.match(await go.refused('drivers.GetDriverProperties', ['nothing']), /404/);
}

async function diskProperties(go: Library): Promise<void> {
  const properties = await go.record('drivers.GetDriverDiskProperties', ['fake-hardware']);
  assert.match(String(properties['raid_level']), /RAID/);
  assert.match(await go.refused('drivers.GetDriverDiskProperties', ['manual-management']), /404/);
}

async function driverMethods(go: Library): Promise<void> {
  assert.partialDeepStrictEqual(await go.done('drivers.ListVendorPassthruMethods', ['able-hardware']), {
    sum: { http_methods: ['GET', 'POST'], async: false },
    sweep: { async: true },
  });
}

async function callDriver(go: Library): Promise<void> {
  const call = 'drivers.CallVendorPassthru';
  const sum = { Method: 'sum', Body: { a: 1, b: 2 } };
  assert.equal(await go.done(call, ['able-hardware', 'POST', sum]), 3);
  assert.match(await go.refused(call, ['able-hardware', 'PUT', sum]), /400.*PUT/s);
}

async function listConductors(go: Library): Promise<void> {
  assert.partialDeepStrictEqual(await go.records('conductors.List', [{}]), [{ hostname: HOST, alive: true }]);
  const [long] = await go.records('conductors.List', [{ Detail: true }]);
  assert.deepEqual(new Set(long?.['drivers'] as readonly string[]), new Set(DRIVERS));
  assert.deepEqual(await go.records('conductors.List', [{ Marker: HOST, Fields: ['hostname'] }]), []);
}

async function getConductor(go: Library): Promise<void> {
  assert.partialDeepStrictEqual(await go.record('conductors.Get', [HOST]), { hostname: HOST, alive: true });
  assert.match(await go.refused('conductors.Get', ['nowhere']), /404.*nowhere/s);
}

async function listVersions(go: Library): Promise<void> {
  const listed = await go.record('apiversions.List');
  const version = { id: 'v1', min_version: '1.1', status: 'CURRENT', version: '1.115' };
  assert.deepEqual(listed, { default_version: version, versions: [version] });
}

async function getVersion(go: Library): Promise<void> {
  assert.partialDeepStrictEqual(await go.record('apiversions.Get', ['v1']), {
    id: 'v1',
    version: '1.115',
  });
}

async function withoutAuth(go: Library, site: Site): Promise<void> {
  await site.node();
  const call = 'noauth.NewBareMetalNoAuth';
  const [node] = await go.records(call, [{ IronicEndpoint: `${site.url}/v1/` }]);
  assert.match(String(node?.['uuid']), /^[0-9a-f-]{36}$/);
}

async function basicAuth(go: Library): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'htpasswd-'));
  const users = join(folder, 'htpasswd');
  await writeFile(users, `admin:${hashSync('s3cret', 4)}\n`);
  await chmod(users, 0o600);
  await using daemon = await DaemonProcess.start({
    IRONIC_DEFAULT__AUTH_STRATEGY: 'http_basic',
    IRONIC_DEFAULT__HTTP_BASIC_AUTH_USER_FILE: users,
  });
  const call = 'httpbasic.NewBareMetalHTTPBasic';
  const as = (password: string) => [
    { IronicEndpoint: `${daemon.url}/v1/`, IronicUser: 'admin', IronicUserPassword: password },
  ];
  assert.deepEqual(await go.done(call, as('s3cret')), []);
  assert.match(await go.refused(call, as('wrong')), /Authentication failed|401/);
  await rm(folder, { recursive: true });
}

export const recordCalls: Scenarios = {
  'ports.Create': createPort,
  'ports.List': listPorts,
  'ports.ListDetail': detailPorts,
  'ports.Get': getPort,
  'ports.Update': updatePort,
  'ports.Delete': deletePort,
  'allocations.Create': createAllocation,
  'allocations.List': listAllocations,
  'allocations.Get': getAllocation,
  'allocations.Delete': deleteAllocation,
  'drivers.ListDrivers': listDrivers,
  'drivers.GetDriverDetails': driverDetails,
  'drivers.GetDriverProperties': driverProperties,
  'drivers.GetDriverDiskProperties': diskProperties,
  'drivers.ListVendorPassthruMethods': driverMethods,
  'drivers.CallVendorPassthru': callDriver,
  'conductors.List': listConductors,
  'conductors.Get': getConductor,
  'apiversions.List': listVersions,
  'apiversions.Get': getVersion,
  'noauth.NewBareMetalNoAuth': withoutAuth,
  'httpbasic.NewBareMetalHTTPBasic': basicAuth,
};
