import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { simulatedSite } from '../../fakes/machines/simulated-site.ts';

test("a machine's agent creates RAID, writes the image, runs a service step and erases the disks after undeployment", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'simulated-life-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [hosts, options] = [join(folder, 'hosts'), join(folder, 'options')];
  for (const directory of [hosts, options]) mkdirSync(directory);
  const environment = {
    IRONIC_DHCP__DHCP_PROVIDER: 'dnsmasq',
    IRONIC_DNSMASQ__DHCP_HOSTSDIR: hosts,
    IRONIC_DNSMASQ__DHCP_OPTSDIR: options,
  };
  const site = await simulatedSite(t, { environment });
  /** The machine's DHCP boot options; empty while dnsmasq ignores the machine. */
  const boots = () => {
    const [record = ''] = readdirSync(hosts).map((file) => readFileSync(join(hosts, file), 'utf8'));
    const [text = ''] = readdirSync(options).map((file) => readFileSync(join(options, file), 'utf8'));
    const [, tag = 'none'] = /,set:(\S+),set:ironic$/m.exec(record) ?? [];
    return text
      .split('\n')
      .flatMap((line) => (line.startsWith(`tag:${tag},`) ? line.split(',').slice(1) : []));
  };
  const [{ node, machine }] = site.rack as [(typeof site.rack)[0]];
  await site.provision(node, 'manage');
  await site.reaches(node, 'manageable');

  const logical_disks = [{ size_gb: 100, raid_level: '1', is_root_volume: true, controller: 'software' }];
  await site.request('PUT', `/v1/nodes/${node}/states/raid`, { logical_disks });
  const clean_steps = [
    { interface: 'raid', step: 'delete_configuration' },
    { interface: 'deploy', step: 'erase_devices_metadata' },
    { interface: 'raid', step: 'create_configuration' },
  ];
  await site.provision(node, 'clean', { clean_steps });
  await site.reaches(node, 'clean wait');
  assert.match(boots().join(), /^67,http:\/\/boot\.invalid\/ramdisk\?ipa-api-url=\S+,60,HTTPClient$/);
  const { raid_config, properties } = await site.reaches(node, 'manageable');
  assert.deepEqual(raid_config['logical_disks'], logical_disks);
  assert.equal(properties['local_gb'], 100);

  await site.provision(node, 'provide');
  await site.reaches(node, 'available');
  const image = { image_source: 'http://images.test/a.raw', image_checksum: 'a'.repeat(64) };
  await site.request('PATCH', `/v1/nodes/${node}`, [{ op: 'add', path: '/instance_info', value: image }]);
  const raid = {
    interface: 'raid',
    step: 'apply_configuration',
    priority: 90,
    args: { raid_config: { logical_disks } },
  };
  await site.provision(node, 'active', { deploy_steps: [raid] });
  const { driver_internal_info } = await site.reaches(node, 'active');
  assert.deepEqual(boots(), []);
  assert.equal(driver_internal_info['agent_url'], undefined);
  await site.until(() => machine.booted === 'disk');

  await site.provision(node, 'service', { service_steps: [{ interface: 'deploy', step: 'burnin_cpu' }] });
  await site.reaches(node, 'service wait');
  assert.equal((await site.reaches(node, 'active')).last_error, null);
  await site.until(() => machine.booted === 'disk');
  assert.ok(machine.disk);

  await site.provision(node, 'deleted');
  await site.reaches(node, 'available');
  assert.equal(machine.disk, undefined);

  const ran = site.told
    .filter((line) => line.includes('execute_'))
    .map((line) => line.split(' ').slice(2).join(' '));
  assert.deepEqual(ran, [
    'delete_configuration: SUCCEEDED',
    'erase_devices_metadata: SUCCEEDED',
    'create_configuration: SUCCEEDED',
    'erase_devices_metadata: SUCCEEDED',
    'erase_devices: SUCCEEDED',
    'apply_configuration: SUCCEEDED',
    'write_image: SUCCEEDED',
    'burnin_cpu: SUCCEEDED',
    'erase_devices_metadata: SUCCEEDED',
    'erase_devices: SUCCEEDED',
  ]);
});
