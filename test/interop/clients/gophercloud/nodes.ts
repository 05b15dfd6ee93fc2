// gophercloud's calls on node records, and those that change a node's state.
import assert from 'node:assert/strict';
import { type Library, type Scenarios, uuidsOf } from '../library.ts';
import { isCarriedOut, type PhaseVerb } from '../phases.ts';
import { HOST, type Site } from '../site.ts';

async function createNode(go: Library, site: Site): Promise<void> {
  const written = {
    driver: 'fake-hardware',
    uuid: site.uuid(),
    name: site.name('node'),
    driver_info: { a: 1 },
    properties: { cpus: 8 },
    extra: { rack: 'r1' },
    resource_class: 'gold',
    bios_interface: 'fake',
    network_interface: 'noop',
    automated_clean: false,
    disable_power_off: true,
    network_data: { links: [], networks: [], services: [] },
    owner: 'me',
  };
  assert.partialDeepStrictEqual(await go.record('nodes.Create', [written]), {
    ...written,
    provision_state: 'enroll',
  });
  assert.partialDeepStrictEqual(await site.shown(`/v1/nodes/${written.uuid}`), written);
  assert.match(await go.refused('nodes.Create', [written]), /409.*already exists/s);
}

async function listNodes(go: Library, site: Site): Promise<void> {
  const chassis = await site.made('/v1/chassis');
  const special = await site.node(
    { chassis_uuid: chassis.uuid, instance_uuid: site.uuid(), resource_class: 'go', owner: 'gopher' },
    'manageable',
  );
  await site.put(`/v1/nodes/${special.uuid}/maintenance`, {});
  const next = await site.node();
  for (const filter of [
    { InstanceUUID: special.instance_uuid },
    { ChassisUUID: chassis.uuid },
    { Maintenance: true, Associated: true, ProvisionState: 'manageable', Driver: 'fake-hardware' },
    { ResourceClass: 'go', Owner: 'gopher' },
  ]) {
    assert.deepEqual(
      uuidsOf(await go.records('nodes.List', [filter])),
      [special.uuid],
      JSON.stringify(filter),
    );
  }
  assert.deepEqual(await go.records('nodes.List', [{ Fault: 'power failure' }]), []);
  const page = { Marker: special.uuid, Limit: 1, SortKey: 'id', SortDir: 'asc', Fields: ['uuid', 'name'] };
  assert.partialDeepStrictEqual(await go.records('nodes.List', [page]), [
    { uuid: next.uuid, name: next.name, driver: '' },
  ]);
  // gophercloud offers a filter that Ironic does not have
  assert.match(await go.refused('nodes.List', [{ Health: 'OK' }]), /400.*Unexpected arguments: health/s);
}

async function detailNodes(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.node({ resource_class: 'go-detail', extra: { rack: 'r1' } });
  const [node, none] = await go.records('nodes.ListDetail', [{ ResourceClass: 'go-detail' }]);
  assert.partialDeepStrictEqual(node, { uuid, extra: { rack: 'r1' }, driver: 'fake-hardware' });
  assert.equal(none, undefined);
}

async function getNode(go: Library, site: Site): Promise<void> {
  const made = await site.node({ description: 'words', shard: 'east' });
  assert.partialDeepStrictEqual(await go.record('nodes.Get', [made.name]), {
    uuid: made.uuid,
    description: 'words',
    shard: 'east',
    conductor: HOST,
    provision_state: 'enroll',
  });
  assert.match(await go.refused('nodes.Get', ['nobody']), /404.*Node nobody could not be found/s);
}

async function updateNode(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.node({ extra: { a: 1 }, description: 'words' });
  const changed = await go.record('nodes.Update', [
    uuid,
    [
      { op: 'replace', path: '/owner', value: 'me' },
      { op: 'add', path: '/properties/cpus', value: 8 },
      { op: 'remove', path: '/extra/a' },
      { op: 'remove', path: '/description' },
    ],
  ]);
  const expected = { owner: 'me', properties: { cpus: 8 }, extra: {} };
  assert.partialDeepStrictEqual(changed, { ...expected, description: '' });
  assert.partialDeepStrictEqual(await site.shown(`/v1/nodes/${uuid}`), { ...expected, description: null });
  const forbidden = [{ op: 'replace', path: '/power_state', value: 'power on' }];
  assert.match(await go.refused('nodes.Update', [uuid, forbidden]), /400.*power_state/s);
}

async function deleteNode(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.node();
  await go.done('nodes.Delete', [uuid]);
  await site.gone(`/v1/nodes/${uuid}`);
  assert.match(await go.refused('nodes.Delete', [uuid]), /404/);
}

async function validateNode(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.node({ driver: 'ipmi' });
  const verdicts = await go.record('nodes.Validate', [uuid]);
  assert.partialDeepStrictEqual(verdicts, { network: { result: true }, power: { result: false } });
  assert.match((verdicts['power'] as { readonly reason: string }).reason, /ipmi_address/);
}

async function maintain(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.node();
  await go.done('nodes.SetMaintenance', [uuid, { reason: 'a broken disk' }]);
  assert.partialDeepStrictEqual(await site.daemon.node(uuid), {
    maintenance: true,
    maintenance_reason: 'a broken disk',
  });
  assert.match(await go.refused('nodes.SetMaintenance', ['nobody', {}]), /404/);
}

async function endMaintenance(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.node();
  await site.put(`/v1/nodes/${uuid}/maintenance`, { reason: 'disk' });
  await go.done('nodes.UnsetMaintenance', [uuid]);
  assert.equal((await site.daemon.node(uuid)).maintenance, false);
}

async function changeProvisionState(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.node();
  for (const [target, reached] of [
    ['manage', 'manageable'],
    ['inspect', 'manageable'],
    ['provide', 'available'],
    ['manage', 'manageable'],
  ] as const) {
    await go.done('nodes.ChangeProvisionState', [uuid, { target }]);
    await site.nodeWhen(
      uuid,
      (node) => node.provision_state === reached && node.target_provision_state === null,
    );
  }
  const waiting = await site.node(
    { driver: 'manual-management', inspect_interface: 'agent' },
    'inspect wait',
  );
  await go.done('nodes.ChangeProvisionState', [waiting.uuid, { target: 'abort' }]);
  await site.nodeWhen(waiting.uuid, ({ provision_state }) => provision_state === 'inspect failed');
  for (const options of phases)
    await isCarriedOut(site, options.target, (fresh) =>
      go.done('nodes.ChangeProvisionState', [fresh, options]),
    );
}

const STEP = { interface: 'power', step: 'reboot' };

const DEPLOY_STEPS = [{ interface: 'bios', step: 'factory_reset', args: {}, priority: 10 }];

const phases = [
  { target: 'adopt' },
  { target: 'clean', clean_steps: [STEP] },
  { target: 'active', configdrive: { meta_data: { a: 1 } }, deploy_steps: DEPLOY_STEPS },
  { target: 'rebuild' },
  { target: 'deleted' },
  { target: 'rescue', rescue_password: 's3cret' },
  { target: 'unrescue' },
  { target: 'service', service_steps: [STEP] },
  { target: 'unhold' },
] satisfies readonly { readonly target: PhaseVerb; readonly [option: string]: unknown }[];

export const nodeCalls: Scenarios = {
  'nodes.Create': createNode,
  'nodes.List': listNodes,
  'nodes.ListDetail': detailNodes,
  'nodes.Get': getNode,
  'nodes.Update': updateNode,
  'nodes.Delete': deleteNode,
  'nodes.Validate': validateNode,
  'nodes.SetMaintenance': maintain,
  'nodes.UnsetMaintenance': endMaintenance,
  'nodes.ChangeProvisionState': changeProvisionState,
};
