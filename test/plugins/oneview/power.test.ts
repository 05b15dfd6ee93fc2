import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneviewManagement } from '../../../plugins/oneview/management.ts';
import { oneviewPower } from '../../../plugins/oneview/power.ts';
import { rejectsFault } from '../../fakes/faults.ts';
import { oneviewBench } from '../../fakes/machines/oneview-task.ts';

const BUSY = { kind: 'status', status: 409, code: 'POWER_CONTROL_NOT_ALLOWED' } as const;

test('power goes on and off through the appliance, with one login', async (t) => {
  const { task, appliance, server, writes } = await oneviewBench(t);
  assert.equal(await oneviewPower.getPowerState(task), 'power off');
  for (const target of ['power on', 'rebooting', 'power off'] as const)
    await oneviewPower.setPowerState(task, target, 60);
  assert.equal(server.powerState, 'Off');
  assert.equal(writes().length, 4);
  assert.equal(appliance.sessions.logins, 1);
});

test('no request is sent when the server already is in the wanted state', async (t) => {
  const { task, writes } = await oneviewBench(t);
  await oneviewPower.setPowerState(task, 'power off', 60);
  assert.deepEqual(writes(), []);
});

test('a power change succeeds after a lost request and after a lost reply', async (t) => {
  const { task, appliance, server, writes } = await oneviewBench(t);
  appliance.fail({ method: 'PUT', action: { kind: 'reset' } });
  await oneviewPower.setPowerState(task, 'power on', 60);
  assert.equal(server.powerState, 'On');
  appliance.fail({ method: 'PUT', action: { kind: 'drop reply' } });
  await oneviewPower.setPowerState(task, 'power off', 60);
  assert.equal(server.powerState, 'Off');
  assert.ok(writes().length <= 4, writes().join());
});

test('the power state of a server that a OneView user has taken is read, but not changed', async (t) => {
  const { task, appliance, server, writes } = await oneviewBench(t);
  appliance.claim(server);
  assert.equal(await oneviewPower.getPowerState(task), 'power off');
  for (const target of ['power on', 'rebooting'] as const)
    await rejectsFault(
      oneviewPower.setPowerState(task, target, 60),
      'PowerStateFailure',
      /in use by OneView: it has the profile/,
    );
  assert.deepEqual(writes(), []);
});

test('a server that must not be powered off is powered on, but not rebooted', async (t) => {
  const { task, server, writes } = await oneviewBench(t, { node: { disable_power_off: true } });
  await oneviewPower.setPowerState(task, 'power on', 60);
  for (const target of ['rebooting', 'soft rebooting'] as const)
    await rejectsFault(
      oneviewPower.setPowerState(task, target, 60),
      'PowerStateFailure',
      /which disable_power_off forbids/,
    );
  assert.deepEqual([server.powerState, writes().length], ['On', 1]);
});

test('a soft power off that the operating system ignores fails at its time limit and leaves the server on', async (t) => {
  const { task, appliance, server } = await oneviewBench(t, { appliance: { obeysMomentaryPress: false } });
  appliance.power(server, 'On');
  const begun = task.clock.monotonic();
  await rejectsFault(
    oneviewPower.setPowerState(task, 'soft power off', 5),
    'PowerStateFailure',
    /5 s after MomentaryPress, which OneView accepted, the last reading was: power on; the operating system may ignore/,
  );
  assert.equal(task.clock.monotonic() - begun, 5000);
  assert.equal(server.powerState, 'On');
});

test('a power request that the appliance takes only after a while gets its whole time limit from then on', async (t) => {
  const { task, appliance, server, writes } = await oneviewBench(t, { appliance: { powerSeconds: 45 } });
  appliance.fail({ method: 'PUT', times: 5, action: BUSY });
  await oneviewPower.setPowerState(task, 'power on', 60);
  assert.deepEqual([server.powerState, writes().length], ['On', 6]);
});

test('a power request that the appliance does not take within the time limit is not sent any more, and fails', async (t) => {
  const { task, appliance, server, writes } = await oneviewBench(t);
  const begun = task.clock.monotonic();
  appliance.fail({ method: 'PUT', times: 8, action: BUSY });
  await rejectsFault(
    oneviewPower.setPowerState(task, 'power on', 60),
    'BmcNotReady',
    /is not ready: .*POWER_CONTROL_NOT_ALLOWED/,
  );
  assert.ok(task.clock.monotonic() - begun <= 60_000);
  assert.deepEqual([server.powerState, writes().length], ['Off', 7]);
  assert.match(JSON.stringify(task.logged), /the appliance is busy; the request is repeated/);
});

test('a boot device for one boot is stored, and set through the iLO while the server is off during a reboot', async (t) => {
  const { task, appliance, server, apply, writes } = await oneviewBench(t);
  await apply();
  appliance.power(server, 'On');
  await oneviewManagement.setBootDevice(task, 'pxe', false);
  assert.deepEqual(writes(), []);
  assert.deepEqual(await oneviewManagement.getBootDevice(task), { boot_device: 'pxe', persistent: false });
  let once: string | undefined;
  appliance.onRequest(({ body }) => {
    if (body['powerState'] === 'On') once = server.bootOnce;
  });
  const { iloKeys } = server;
  await oneviewPower.setPowerState(task, 'rebooting', 60);
  assert.deepEqual(writes(), ['PUT SERVER/powerState', 'PUT SERVER/powerState']);
  assert.equal(once, 'PXE');
  assert.equal(iloKeys.size, 0);
  assert.equal(task.node.driver_internal_info['next_boot_device'], undefined);
  assert.deepEqual(await oneviewManagement.getBootDevice(task), { boot_device: 'disk', persistent: true });
});

test('when the iLO is down or refuses access, the boot device is set in the server profile, with a warning', async (t) => {
  for (const iloTrouble of ['down', 'unauthorized'] as const) {
    const { task, server, appliance, apply } = await oneviewBench(t);
    const uri = await apply();
    server.iloTrouble = iloTrouble;
    await oneviewManagement.setBootDevice(task, 'pxe', false);
    await oneviewPower.setPowerState(task, 'power on', 60);
    assert.deepEqual(appliance.state.profiles.get(uri)?.body['boot'], { order: ['PXE', 'HardDisk', 'CD'] });
    assert.match(JSON.stringify(task.logged), /the iLO did not set the boot device for one boot/);
    assert.equal((await oneviewManagement.getBootDevice(task)).persistent, null);
  }
});

test('setting a boot order that somebody else changes meanwhile is tried three times at most', async (t) => {
  const { task, appliance, apply } = await oneviewBench(t);
  const uri = await apply();
  appliance.fail({ method: 'PUT', path: uri, times: 2, action: { kind: 'stale etag' } });
  await oneviewManagement.setBootDevice(task, 'pxe', true);
  await oneviewPower.setPowerState(task, 'power on', 60);
  assert.deepEqual(appliance.state.profiles.get(uri)?.body['boot'], { order: ['PXE', 'HardDisk', 'CD'] });
  await oneviewPower.setPowerState(task, 'power off', 60);
  appliance.fail({ method: 'PUT', path: uri, times: 3, action: { kind: 'stale etag' } });
  await oneviewManagement.setBootDevice(task, 'disk', true);
  await rejectsFault(oneviewPower.setPowerState(task, 'power on', 60), 'BmcRefused', /412/);
  assert.deepEqual(await oneviewManagement.getBootDevice(task), { boot_device: 'disk', persistent: true });
});

test('a UEFI profile gets the device as its only boot device, and is not written when the device is first already', async (t) => {
  const { task, appliance, apply, writes } = await oneviewBench(t);
  const uri = await apply({ bootMode: { mode: 'UEFIOptimized' }, boot: { order: ['HardDisk'] } });
  await oneviewManagement.setBootDevice(task, 'disk', true);
  await oneviewPower.setPowerState(task, 'power on', 60);
  assert.deepEqual(writes(), ['PUT SERVER/powerState']);
  await oneviewManagement.setBootDevice(task, 'pxe', true);
  await oneviewPower.setPowerState(task, 'rebooting', 60);
  assert.deepEqual(appliance.state.profiles.get(uri)?.body['boot'], { order: ['PXE'] });
});

test('no boot device is set without a profile or if the device is unsupported, and none is read from a taken server', async (t) => {
  const { task, appliance, server } = await oneviewBench(t);
  await rejectsFault(
    oneviewManagement.setBootDevice(task, 'pxe', true),
    'OneviewProfileFailed',
    /its server has no profile, and only a profile can set the boot device/,
  );
  await rejectsFault(
    oneviewManagement.setBootDevice(task, 'safe', true),
    'InvalidParameter',
    /pxe, disk, cdrom/,
  );
  appliance.claim(server);
  await rejectsFault(oneviewManagement.getBootDevice(task), 'OneviewServerInUse', /in use by OneView/);
});
