// The life of a machine without a BMC, with power interface `agent`: it is switched on by hand, and the network comes first in its
// boot order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SimulatedMachine } from '../../../daemon/simulator/machine.ts';
import { fakeClock } from '../../fakes/clock.ts';
import type { Ending } from '../../fakes/daemon/in-process-daemon.ts';
import { enrolNode, startListening } from '../../fakes/daemon/listening-daemon.ts';
import { ramdiskFiles } from '../../fakes/machines/oneview-site.ts';
import { steer } from '../../fakes/daemon/steered-clock.ts';

const MAC = '52:54:00:5a:00:77';
const image = { image_source: 'http://images.test/a.raw', image_checksum: 'a'.repeat(64) };

async function siteWithoutBmc(t: Ending) {
  const clock = fakeClock();
  const { url, services } = await startListening(t, {
    clock,
    environment: {
      ...ramdiskFiles(t),
      IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'manual-management',
      IRONIC_DEFAULT__MY_IP: '127.0.0.1',
      IRONIC_BOOT_HTTP__PORT: '0',
      IRONIC_DEPLOY__FAST_TRACK: 'true',
      IRONIC_AGENT__CALLBACK_NETWORKS: '127.0.0.0/8',
      IRONIC_AGENT__REQUIRE_TLS: 'false',
    },
  });
  const told: string[] = [];
  const machine = await SimulatedMachine.plugIn({
    mac: MAC,
    clock,
    apiUrl: url,
    bootUrl: services.networkBoots.httpUrl ?? '',
    tls: false,
    bootSeconds: 20,
    random: () => 0.5,
    tell: (what) => told.push(what),
  });
  t.after(async () => machine.unplug());
  const interfaces = { power_interface: 'agent', boot_interface: 'ipxe', deploy_interface: 'direct' };
  const node = await enrolNode(url, { driver: 'manual-management', ...interfaces });
  const conversing = () => machine.conversing;
  const site = steer(t, { url, services, clock, machines: [{ node }], conversing, told });
  await site.request('POST', '/v1/ports', { node_uuid: node, address: MAC });
  /** Switches the machine on or resets it by hand. It boots what the daemon's DHCP server would offer (see what-boots.test.ts). */
  const switchOn = async () => {
    machine.boot = {
      BootSourceOverrideTarget: 'UefiHttp',
      BootSourceOverrideEnabled: 'Once',
      HttpBootUri: `http://boot.invalid/ramdisk?ipa-api-url=${url}`,
    };
    machine.reset(machine.powerState === 'Off' ? 'On' : 'ForceRestart');
    await site.until(() => machine.booted === 'ramdisk');
    machine.boot = {
      ...machine.boot,
      BootSourceOverrideTarget: 'Pxe',
      BootSourceOverrideEnabled: 'Continuous',
    };
  };
  const isAlive = () => site.node(node).driver_internal_info.agent_url !== undefined;
  return { ...site, machine, uuid: node, switchOn, isAlive };
}

test('a machine without a BMC is cleaned, rebooted and deployed by its agent, and undeployed with a reset by hand', async (t) => {
  const site = await siteWithoutBmc(t);
  const { uuid: node, machine } = site;
  await site.provision(node, 'manage');
  const { last_error } = await site.reaches(node, 'enroll');
  assert.match(last_error ?? '', /agent .* has sent no heartbeat .* power the machine on by hand/);

  await site.switchOn();
  await site.until(site.isAlive);
  await site.provision(node, 'manage');
  assert.equal((await site.reaches(node, 'manageable')).power_state, 'power on');

  await site.provision(node, 'provide');
  await site.reaches(node, 'available');

  await site.request('PUT', `/v1/nodes/${node}/states/power`, { target: 'rebooting' });
  await site.until(() => machine.booted === 'nothing');
  assert.equal(site.isAlive(), false);
  await site.switchOn();
  await site.until(site.isAlive);

  await site.request('PATCH', `/v1/nodes/${node}`, [{ op: 'add', path: '/instance_info', value: image }]);
  await site.provision(node, 'active');
  assert.equal((await site.reaches(node, 'active')).power_state, 'power on');
  await site.until(() => machine.booted === 'disk');
  assert.deepEqual(machine.disk?.image_info['urls'], [image.image_source]);
  assert.equal(site.isAlive(), false);

  await assert.rejects(site.provision(node, 'deleted'), /400 .*has sent no heartbeat/);
  await assert.rejects(
    site.request('PUT', `/v1/nodes/${node}/states/power`, { target: 'power off' }),
    /400 .*power_interface agent/,
  );

  await site.request('PUT', `/v1/nodes/${node}/maintenance`);
  const byHand = [{ op: 'replace', path: '/power_interface', value: 'fake' }];
  await site.request('PATCH', `/v1/nodes/${node}`, byHand);
  await site.request('DELETE', `/v1/nodes/${node}/maintenance`);
  await site.provision(node, 'deleted');
  await site.reaches(node, 'clean wait');
  machine.reset('ForceRestart');
  await site.reaches(node, 'available');
  assert.equal(machine.disk, undefined);
});
