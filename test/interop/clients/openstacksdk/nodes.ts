// openstacksdk's calls on node records, and those that move a node through its states.
import assert from 'node:assert/strict';
import { isCarriedOut, type PhaseVerb } from '../phases.ts';
import type { Site } from '../site.ts';
import { recordCalls } from './records.ts';
import type { Scenarios, Library } from '../library.ts';

async function createNode(sdk: Library, site: Site): Promise<void> {
  await recordCalls['create_node']?.(sdk, site);
  // the call itself waits for the state
  for (const provision_state of ['manageable', 'available']) {
    const made = await sdk.record('create_node', [], { driver: 'fake-hardware', provision_state });
    assert.equal(made['provision_state'], provision_state);
  }
}

async function listNodes(sdk: Library, site: Site): Promise<void> {
  await recordCalls['nodes']?.(sdk, site);
  const instance_id = site.uuid();
  const special = await site.node({
    driver: 'manual-management',
    owner: 'sdk',
    shard: 'sdk-shard',
    resource_class: 'sdk-class',
    instance_uuid: instance_id,
    instance_name: 'sdk-i',
  });
  assert.deepEqual(await sdk.records('nodes', [], { fault: 'power failure' }), []);
  if (sdk.newest) await listChildren(sdk, site);
  const filters = [
    { resource_class: 'sdk-class' },
    { instance_id },
    ...(sdk.newest
      ? [{ details: true, owner: 'sdk' }, { shard: 'sdk-shard' }, { instance_name: 'sdk-i' }]
      : []),
    { driver: 'manual-management', provision_state: 'enroll', is_maintenance: false, associated: true },
    { conductor_group: '', resource_class: 'sdk-class' },
  ];
  for (const filter of filters) {
    const found = await sdk.records('nodes', [], filter);
    assert.deepEqual(
      found.map(({ id }) => id),
      [special.uuid],
      JSON.stringify(filter),
    );
  }
}

async function listChildren(sdk: Library, site: Site): Promise<void> {
  const parent = await site.node();
  const child = await site.node({ parent_node: parent.uuid });
  const idsOf = async (filter: object) => (await sdk.records('nodes', [], filter)).map(({ id }) => id);
  assert.deepEqual(await idsOf({ parent_node: parent.uuid }), [child.uuid]);
  assert.ok((await idsOf({ include_children: true })).includes(child.uuid));
}

async function patchNode(sdk: Library, site: Site): Promise<void> {
  await recordCalls['patch_node']?.(sdk, site);
  const { uuid } = await site.node();
  const change = [{ op: 'replace', path: '/driver', value: 'manual-management' }];
  const patched = await sdk.record('patch_node', [uuid, change], { reset_interfaces: true });
  assert.equal(patched['management_interface'], 'noop');
}

async function setProvisionState(sdk: Library, site: Site): Promise<void> {
  const { uuid } = await site.node();
  for (const [verb, state] of [
    ['manage', 'manageable'],
    ['inspect', 'manageable'],
    ['provide', 'available'],
    ['manage', 'manageable'],
  ] as const) {
    const moved = await sdk.record('set_node_provision_state', [uuid, verb], { wait: true, timeout: 20 });
    assert.equal(moved['provision_state'], state, verb);
  }
  assert.match(await sdk.refused('set_node_provision_state', [uuid, 'manage']), /BadRequest.*"manageable"/);
  const bare = await site.node({ driver: 'ipmi' });
  const failed = await sdk.refused('set_node_provision_state', [bare.uuid, 'manage'], {
    wait: true,
    timeout: 20,
  });
  assert.match(failed, /ipmi_address/);
  for (const [verb, words] of phases)
    await isCarriedOut(site, verb, (fresh) => sdk.done('set_node_provision_state', [fresh, verb], words));
}

const CLEAN_STEPS = [{ interface: 'power', step: 'reboot', args: {} }];

const DEPLOY_STEPS = [{ interface: 'bios', step: 'factory_reset', args: {}, priority: 10 }];

/** Provision verbs, each with the proxy's arguments for it. `service` is left out: the proxy has no argument for its steps. */
const phases: readonly (readonly [PhaseVerb, object])[] = [
  ['adopt', {}],
  ['clean', { clean_steps: CLEAN_STEPS }],
  ['active', { config_drive: { meta_data: { a: 1 } }, deploy_steps: DEPLOY_STEPS }],
  ['rebuild', {}],
  ['deleted', {}],
  ['rescue', { rescue_password: 's3cret' }],
  ['unrescue', {}],
];

async function validateNode(sdk: Library, site: Site): Promise<void> {
  const { uuid } = await site.node();
  const verdicts = await sdk.record('validate_node', [uuid]);
  assert.partialDeepStrictEqual(verdicts, {
    power: { result: true, reason: null },
    deploy: { result: true },
    boot: { result: true },
  });
  const bare = await site.node({ driver: 'ipmi' });
  assert.match(await sdk.refused('validate_node', [bare.uuid]), /ipmi_address/);
  const lax = await sdk.record('validate_node', [bare.uuid], { required: [] });
  assert.partialDeepStrictEqual(lax, { power: { result: false }, network: { result: true } });
}

async function setMaintenance(sdk: Library, site: Site): Promise<void> {
  const { uuid } = await site.node();
  const node = await sdk.record('set_node_maintenance', [uuid, 'a broken disk']);
  assert.partialDeepStrictEqual(node, { is_maintenance: true, maintenance_reason: 'a broken disk' });
  assert.equal((await site.daemon.node(uuid)).maintenance_reason, 'a broken disk');
  assert.match(await sdk.refused('set_node_maintenance', ['nobody']), /nobody/);
}

async function unsetMaintenance(sdk: Library, site: Site): Promise<void> {
  const { uuid } = await site.node();
  await site.put(`/v1/nodes/${uuid}/maintenance`, { reason: 'disk' });
  const node = await sdk.record('unset_node_maintenance', [uuid]);
  assert.partialDeepStrictEqual(node, { is_maintenance: false, maintenance_reason: null });
  assert.equal((await site.daemon.node(uuid)).maintenance, false);
}

async function addTrait(sdk: Library, site: Site): Promise<void> {
  const { uuid } = await site.node();
  await sdk.done('add_node_trait', [uuid, 'CUSTOM_GPU']);
  assert.deepEqual((await site.daemon.node(uuid)).traits, ['CUSTOM_GPU']);
  assert.match(await sdk.refused('add_node_trait', [uuid, 'gpu']), /gpu/);
}

async function setTraits(sdk: Library, site: Site): Promise<void> {
  const { uuid } = await site.node();
  await sdk.done('set_node_traits', [uuid, ['CUSTOM_B', 'CUSTOM_A']]);
  assert.deepEqual((await site.daemon.node(uuid)).traits, ['CUSTOM_A', 'CUSTOM_B']);
  assert.match(await sdk.refused('set_node_traits', [uuid, ['gpu']]), /gpu/);
}

async function removeTrait(sdk: Library, site: Site): Promise<void> {
  const { uuid } = await site.node();
  await site.put(`/v1/nodes/${uuid}/traits`, { traits: ['CUSTOM_A', 'CUSTOM_B'] });
  assert.equal(await sdk.done('remove_node_trait', [uuid, 'CUSTOM_A']), true);
  assert.deepEqual((await site.daemon.node(uuid)).traits, ['CUSTOM_B']);
  // the SDK should ignore a missing trait, but expects another status for it than Ironic's
  assert.match(await sdk.refused('remove_node_trait', [uuid, 'CUSTOM_A']), /NotFound.*have a trait CUSTOM_A/);
}

export const nodeCalls: Scenarios = {
  create_node: createNode,
  nodes: listNodes,
  patch_node: patchNode,
  set_node_provision_state: setProvisionState,
  validate_node: validateNode,
  set_node_maintenance: setMaintenance,
  unset_node_maintenance: unsetMaintenance,
  add_node_trait: addTrait,
  set_node_traits: setTraits,
  remove_node_trait: removeTrait,
};
