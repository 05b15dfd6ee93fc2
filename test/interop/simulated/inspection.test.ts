import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { freeTcpPort } from '../../../daemon/simulator/free-port.ts';
import { simulatedSite } from '../../fakes/machines/simulated-site.ts';

/** A machine in inspect wait, on a site whose API listens at the URL that ramdisks receive. */
async function inspecting(t: TestContext, environment: Readonly<Record<string, string>> = {}) {
  const site = await simulatedSite(t, {
    environment: { IRONIC_API__PORT: String(await freeTcpPort()), ...environment },
  });
  const [{ node, machine }] = site.rack as [(typeof site.rack)[0]];
  await site.provision(node, 'manage');
  await site.reaches(node, 'manageable');
  await site.provision(node, 'inspect');
  const { driver_internal_info } = await site.reaches(node, 'inspect wait');
  assert.equal(driver_internal_info['inspector_manage_boot'], true);
  assert.equal(machine.boot.BootSourceOverrideTarget, 'UefiHttp');
  return { site, node, machine };
}

test('the ramdisk of a managed boot reports to the callback URL; then the daemon sets the boot device to disk', async (t) => {
  const { site, node, machine } = await inspecting(t, {
    IRONIC_INSPECTOR__REQUIRE_MANAGED_BOOT: 'true',
    IRONIC_INSPECTOR__EXTRA_KERNEL_PARAMS: 'ipa-debug=1 nomodeset',
  });
  assert.deepEqual(Object.fromEntries(new URL(machine.boot.HttpBootUri).searchParams), {
    'ipa-api-url': site.url,
    'ipa-debug': '1',
    nomodeset: '',
    'ipa-inspection-callback-url': `${site.url}/v1/continue_inspection`,
  });
  const found = await site.reaches(node, 'manageable');
  assert.ok(site.told.includes('rack-001 reported its hardware: 202'));
  assert.deepEqual([found.last_error, found.driver_internal_info], [null, {}]);
  assert.equal(found.properties['cpu_arch'], 'x86_64');
  assert.deepEqual([machine.powerState, machine.boot.BootSourceOverrideTarget], ['Off', 'Hdd']);
});

test('a timeout or an abort of the inspection powers the machine off and sets its boot device to disk', async (t) => {
  const { site, node, machine } = await inspecting(t, { IRONIC_CONDUCTOR__INSPECT_WAIT_TIMEOUT: '300' });
  machine.troubles.mute = true;
  const late = await site.reaches(node, 'inspect failed');
  assert.match(late.last_error ?? '', /^Timed out after 300 s of waiting for inspection data/);
  assert.deepEqual(late.driver_internal_info, {});
  assert.deepEqual([machine.powerState, machine.boot.BootSourceOverrideTarget], ['Off', 'Hdd']);
  await site.provision(node, 'inspect');
  await site.reaches(node, 'inspect wait');
  assert.equal(machine.boot.BootSourceOverrideTarget, 'UefiHttp');
  await site.provision(node, 'abort');
  assert.equal((await site.reaches(node, 'inspect failed')).last_error, 'Inspection was aborted by request.');
  assert.deepEqual([machine.powerState, machine.boot.BootSourceOverrideTarget], ['Off', 'Hdd']);
});

test('with fast track, the ramdisk keeps running after inspection and cleans without another boot', async (t) => {
  const { site, node, machine } = await inspecting(t, { IRONIC_DEPLOY__FAST_TRACK: 'true' });
  await site.reaches(node, 'manageable');
  assert.equal(machine.powerState, 'On');
  await site.provision(node, 'provide');
  await site.reaches(node, 'available');
  assert.equal(site.told.filter((line) => line === 'rack-001 power on').length, 1, site.told.join('\n'));
  assert.ok(site.told.some((line) => line.includes('execute_clean_step erase_devices_metadata')));
});
