// Erasure, software RAID and burn-in by the agents of simulated machines: the order of the steps, and the RAID stored in the node.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulatedSite, type SimulatedSite } from '../../fakes/machines/simulated-site.ts';

const root = { size_gb: 100, raid_level: '1', is_root_volume: true, controller: 'software' };
const mirror = { logical_disks: [root] };

/** The steps that the agent of the only machine has completed, in order. */
const stepsOf = ({ told }: SimulatedSite): string[] =>
  told.flatMap((line) => / execute_\w+_step (\w+): SUCCEEDED$/.exec(line)?.[1] ?? []);

async function siteWith(
  t: Parameters<typeof simulatedSite>[0],
  environment: Readonly<Record<string, string>>,
) {
  const site = await simulatedSite(t, { environment });
  const [{ node, machine }] = site.rack as [(typeof site.rack)[0]];
  await site.provision(node, 'manage');
  await site.reaches(node, 'manageable');
  return { site, node, machine };
}

test("automated cleaning runs the agent's steps with the priorities of the options", async (t) => {
  const { site, node } = await siteWith(t, {
    IRONIC_DEPLOY__ERASE_DEVICES_PRIORITY: '0',
    IRONIC_DEPLOY__ERASE_DEVICES_METADATA_PRIORITY: '10',
    IRONIC_DEPLOY__DELETE_CONFIGURATION_PRIORITY: '100',
    IRONIC_DEPLOY__CREATE_CONFIGURATION_PRIORITY: '50',
  });
  await site.request('PUT', `/v1/nodes/${node}/states/raid`, mirror);
  await site.provision(node, 'provide');
  const { raid_config, properties } = await site.reaches(node, 'available');
  assert.deepEqual(stepsOf(site), ['delete_configuration', 'create_configuration', 'erase_devices_metadata']);
  assert.deepEqual(raid_config['logical_disks'], mirror.logical_disks);
  assert.equal(properties['local_gb'], 100);
});

test('a runbook burns a machine in, step by step', async (t) => {
  const { site, node } = await siteWith(t, {});
  await site.request('PUT', `/v1/nodes/${node}/traits/CUSTOM_BURN_IN`);
  const steps = ['burnin_cpu', 'burnin_memory', 'burnin_disk'].map((step, order) => ({
    interface: 'deploy',
    step,
    order,
  }));
  await site.request('POST', '/v1/runbooks', { name: 'CUSTOM_BURN_IN', steps });
  await site.request('PUT', '/v1/runbooks/CUSTOM_BURN_IN/traits', { traits: ['CUSTOM_BURN_IN'] });
  await site.provision(node, 'clean', { runbook: 'CUSTOM_BURN_IN' });
  const { last_error } = await site.reaches(node, 'manageable');
  assert.equal(last_error, null);
  assert.deepEqual(stepsOf(site), ['burnin_cpu', 'burnin_memory', 'burnin_disk']);
});

test('a deploy template builds the RAID before the image is written', async (t) => {
  const { site, node, machine } = await siteWith(t, { IRONIC_CONDUCTOR__AUTOMATED_CLEAN: 'false' });
  await site.provision(node, 'provide');
  await site.reaches(node, 'available');
  await site.request('PUT', `/v1/nodes/${node}/traits/CUSTOM_MIRROR`);
  const step = {
    interface: 'raid',
    step: 'apply_configuration',
    priority: 90,
    args: { raid_config: mirror },
  };
  await site.request('POST', '/v1/deploy_templates', { name: 'CUSTOM_MIRROR', steps: [step] });
  const instance_info = {
    image_source: 'http://images.test/a.raw',
    image_checksum: 'a'.repeat(64),
    traits: ['CUSTOM_MIRROR'],
  };
  await site.request('PATCH', `/v1/nodes/${node}`, [
    { op: 'add', path: '/instance_info', value: instance_info },
  ]);
  await site.provision(node, 'active');
  const { raid_config, properties } = await site.reaches(node, 'active');
  assert.deepEqual(stepsOf(site), ['apply_configuration', 'write_image']);
  assert.deepEqual(raid_config['logical_disks'], mirror.logical_disks);
  assert.equal(properties['local_gb'], 100);
  await site.until(() => machine.booted === 'disk');
});
