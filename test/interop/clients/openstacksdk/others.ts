// openstacksdk's calls on drivers, conductors and the traits of runbooks, and those that wait for something.
import assert from 'node:assert/strict';
import { DRIVERS, HOST, type Site } from '../site.ts';
import type { Scenarios, Library } from '../library.ts';

async function drivers(sdk: Library): Promise<void> {
  assert.deepEqual((await sdk.records('drivers')).map(({ name }) => String(name)).toSorted(), DRIVERS);
  const detailed = await sdk.records('drivers', [], { details: true });
  assert.equal(detailed.find(({ name }) => name === 'able-hardware')?.['default_bios_interface'], 'able');
}

async function getDriver(sdk: Library): Promise<void> {
  assert.partialDeepStrictEqual(await sdk.record('get_driver', ['ipmi']), {
    name: 'ipmi',
    hosts: [HOST],
    default_power_interface: 'ipmitool',
  });
  assert.match(await sdk.refused('get_driver', ['nothing']), /NotFound.*nothing/);
}

async function callDriverVendor(sdk: Library): Promise<void> {
  const call = 'call_driver_vendor_passthru';
  assert.equal(await sdk.done(call, ['able-hardware', 'POST', 'sum', { a: 1, b: 2 }]), 3);
  assert.match(await sdk.refused(call, ['able-hardware', 'POST', 'sum', { a: 1 }]), /a and b/);
}

async function listDriverVendor(sdk: Library): Promise<void> {
  assert.partialDeepStrictEqual(await sdk.record('list_driver_vendor_passthru', ['able-hardware']), {
    sum: { http_methods: ['GET', 'POST'], async: false },
    sweep: { async: true },
  });
}

async function conductors(sdk: Library): Promise<void> {
  // the SDK sends its argument `details` under a name that the API does not know; `detail` is sent as it is
  const [conductor] = await sdk.records('conductors', [], { detail: true });
  assert.partialDeepStrictEqual(conductor, { hostname: HOST, alive: true });
  assert.deepEqual(new Set(conductor?.['drivers'] as readonly string[]), new Set(DRIVERS));
}

async function getConductor(sdk: Library): Promise<void> {
  assert.partialDeepStrictEqual(await sdk.record('get_conductor', [HOST]), { hostname: HOST, alive: true });
  assert.match(await sdk.refused('get_conductor', ['nowhere']), /NotFound.*nowhere/);
}

async function runbook(site: Site): Promise<string> {
  const steps = [{ interface: 'bios', step: 'apply_configuration', args: {}, order: 1 }];
  return (await site.made('/v1/runbooks', { name: site.name('book'), steps })).uuid;
}

async function setRunbookTraits(sdk: Library, site: Site): Promise<void> {
  const uuid = await runbook(site);
  await sdk.done('set_runbook_traits', [uuid, ['CUSTOM_B', 'CUSTOM_A']]);
  assert.deepEqual((await site.shown(`/v1/runbooks/${uuid}`))['traits'], ['CUSTOM_A', 'CUSTOM_B']);
  assert.match(await sdk.refused('set_runbook_traits', [uuid, ['gpu']]), /gpu/);
}

async function addRunbookTrait(sdk: Library, site: Site): Promise<void> {
  const uuid = await runbook(site);
  await sdk.done('add_runbook_trait', [uuid, 'CUSTOM_GPU']);
  assert.deepEqual((await site.shown(`/v1/runbooks/${uuid}`))['traits'], ['CUSTOM_GPU']);
  assert.match(await sdk.refused('add_runbook_trait', [uuid, 'gpu']), /gpu/);
}

async function removeRunbookTrait(sdk: Library, site: Site): Promise<void> {
  const uuid = await runbook(site);
  await site.put(`/v1/runbooks/${uuid}/traits`, { traits: ['CUSTOM_A', 'CUSTOM_B'] });
  await sdk.done('remove_runbook_trait', [uuid, 'CUSTOM_A']);
  assert.deepEqual((await site.shown(`/v1/runbooks/${uuid}`))['traits'], ['CUSTOM_B']);
}

async function waitForAllocation(sdk: Library, site: Site): Promise<void> {
  const resource_class = site.name('class');
  const node = await site.node({ resource_class }, 'available');
  await site.power(node.uuid, 'power off');
  const wish = await sdk.record('create_allocation', [], { resource_class });
  const met = await sdk.record('wait_for_allocation', [wish['id']], { timeout: 20 });
  assert.partialDeepStrictEqual(met, { state: 'active', node_id: node.uuid });
  const vain = await sdk.record('create_allocation', [], { resource_class });
  assert.match(
    await sdk.refused('wait_for_allocation', [vain['id']], { timeout: 20 }),
    /without an instance/,
  );
  const failed = await sdk.record('wait_for_allocation', [vain['id']], { timeout: 20, ignore_error: true });
  assert.equal(failed['state'], 'error');
}

async function waitForPower(sdk: Library, site: Site): Promise<void> {
  const { uuid } = await site.node({}, 'manageable');
  await site.put(`/v1/nodes/${uuid}/states/power`, { target: 'power on' });
  const node = await sdk.record('wait_for_node_power_state', [uuid, 'power on'], { timeout: 20 });
  assert.equal(node['power_state'], 'power on');
  const never = await sdk.refused('wait_for_node_power_state', [uuid, 'power off'], { timeout: 0.1 });
  assert.match(never, /Timeout/);
}

async function waitForReservation(sdk: Library, site: Site): Promise<void> {
  const { uuid } = await site.node();
  const node = await sdk.record('wait_for_node_reservation', [uuid], { timeout: 20 });
  assert.equal(node['reservation'], null);
}

async function waitForProvision(sdk: Library, site: Site): Promise<void> {
  const [first, second] = [await site.node(), await site.node()];
  for (const { uuid } of [first, second])
    await site.put(`/v1/nodes/${uuid}/states/provision`, { target: 'manage' });
  const reached = (await sdk.done(
    'wait_for_nodes_provision_state',
    [[first.uuid, second.name], 'manageable'],
    { timeout: 20 },
  )) as readonly Readonly<Record<string, unknown>>[];
  assert.deepEqual(new Set(reached.map(({ id }) => id)), new Set([first.uuid, second.uuid]));
  const never = await sdk.refused('wait_for_nodes_provision_state', [[first.uuid], 'active'], {
    timeout: 0.1,
  });
  assert.match(never, /Timeout/);
}

async function waitForStatus(sdk: Library, site: Site): Promise<void> {
  const { uuid } = await site.node();
  await site.put(`/v1/nodes/${uuid}/states/provision`, { target: 'manage' });
  const node = { is: { call: 'get_node', args: [uuid] } };
  const seen = await sdk.record('wait_for_status', [node, 'manageable'], {
    attribute: 'provision_state',
    wait: 20,
  });
  assert.equal(seen['provision_state'], 'manageable');
}

async function waitForDelete(sdk: Library, site: Site): Promise<void> {
  const { uuid } = await site.made('/v1/chassis');
  const deleted = { is: { call: 'delete_chassis', args: [uuid] } };
  assert.equal((await sdk.record('wait_for_delete', [deleted], { wait: 20 }))['id'], uuid);
  await site.gone(`/v1/chassis/${uuid}`);
}

export const otherCalls: Scenarios = {
  drivers,
  get_driver: getDriver,
  call_driver_vendor_passthru: callDriverVendor,
  list_driver_vendor_passthru: listDriverVendor,
  conductors,
  get_conductor: getConductor,
  set_runbook_traits: setRunbookTraits,
  add_runbook_trait: addRunbookTrait,
  remove_runbook_trait: removeRunbookTrait,
  wait_for_allocation: waitForAllocation,
  wait_for_node_power_state: waitForPower,
  wait_for_node_reservation: waitForReservation,
  wait_for_nodes_provision_state: waitForProvision,
  wait_for_status: waitForStatus,
  wait_for_delete: waitForDelete,
};
