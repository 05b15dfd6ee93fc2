import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulatedSite } from '../../fakes/machines/simulated-site.ts';

test('rescue gives the ramdisk a password hash or times out without a heartbeat; unrescue boots the instance', async (t) => {
  const site = await simulatedSite(t, {
    machines: 2,
    environment: {
      IRONIC_DEFAULT__ENABLED_RESCUE_INTERFACES: 'agent',
      IRONIC_CONDUCTOR__RESCUE_CALLBACK_TIMEOUT: '120',
    },
  });
  const [rescued, mute] = site.rack as [(typeof site.rack)[0], (typeof site.rack)[0]];
  mute.machine.troubles.mute = true;
  for (const { node, machine } of site.rack) {
    machine.disk = { image_info: {}, configdrive: null };
    await site.provision(node, 'manage');
    await site.reaches(node, 'manageable');
    await site.provision(node, 'adopt');
    await site.reaches(node, 'active');
    await site.provision(node, 'rescue', { rescue_password: 's3cr3t' });
  }
  const { instance_info, driver_internal_info } = await site.reaches(rescued.node, 'rescue');
  assert.match(rescued.machine.rescuePassword ?? '', /^\$5\$[./\w]{16}\$[./\w]{43}$/);
  assert.equal(rescued.machine.booted, 'ramdisk');
  assert.deepEqual([instance_info, driver_internal_info['agent_url']], [{}, undefined]);
  await site.provision(rescued.node, 'unrescue');
  await site.reaches(rescued.node, 'active');
  await site.until(() => rescued.machine.booted === 'disk');

  const failed = await site.reaches(mute.node, 'rescue failed');
  assert.match(
    failed.last_error ?? '',
    /Nothing was heard for 120 s \(\[conductor\] rescue_callback_timeout\)/,
  );
  assert.deepEqual([failed.instance_info, failed.power_state], [{}, 'power off']);
});
