import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { redfishPower } from '../../../../plugins/redfish/power/power.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { shapeNames, startFakeRedfish } from '#plugin-api/fake-redfish';
import { redfishLab } from '../redfish-lab.ts';

const RESET = 'POST /redfish/v1/Systems/1/Actions/ComputerSystem.Reset';

test('power goes on and off, on every simulated BMC', async (t) => {
  for (const shape of shapeNames) {
    const { machine, task } = await redfishLab(t, { shape, powerSeconds: 5 });
    await redfishPower.setPowerState(task, 'power on', 60);
    assert.equal(machine.power, 'On', shape);
    await redfishPower.setPowerState(task, 'power off', 60);
    assert.equal(machine.power, 'Off', shape);
  }
});

test('a power change sends one request and reads the state until it is reached', async (t) => {
  const { bmc, task } = await redfishLab(t, { powerSeconds: 5 });
  await redfishPower.setPowerState(task, 'power on', 60);
  await redfishPower.setPowerState(task, 'power off', 60);
  const requests = bmc.forget();
  assert.equal(requests.filter((request) => request === RESET).length, 2);
  assert.deepEqual(task.sleeps, [500, 1000, 2000, 4000, 500, 1000, 2000, 4000]);
});

test('a power change succeeds when the machine already is in the wanted state', async (t) => {
  const { task } = await redfishLab(t, { shape: 'dell9' });
  await redfishPower.setPowerState(task, 'power off', 60);
  await redfishPower.setPowerState(task, 'power on', 60);
  await redfishPower.setPowerState(task, 'power on', 60);
});

test('a power-on that the BMC refuses for a conflict is repeated', async (t) => {
  const { bmc, machine, task } = await redfishLab(t);
  const info = {
    MessageId: 'Base.1.18.ActionParameterValueConflict',
    Message: 'A power change is under way.',
  };
  bmc.faults.add({
    method: 'POST',
    path: 'Reset',
    times: 3,
    does: { kind: 'answer', status: 409, body: { error: { '@Message.ExtendedInfo': [info] } } },
  });
  await redfishPower.setPowerState(task, 'power on', 60);
  assert.equal(machine.power, 'On');
  assert.deepEqual(task.sleeps, [10_000, 10_000, 10_000]);
});

test('a soft reboot is a shutdown and a power-on', async (t) => {
  const { machine, task } = await redfishLab(t, { differences: { resets: ['On', 'GracefulShutdown'] } });
  machine.power = 'On';
  await redfishPower.setPowerState(task, 'soft rebooting', 60);
  assert.deepEqual(machine.resets, ['GracefulShutdown', 'On']);
});

test('a shutdown that the BMC does not offer is refused: the power is not cut in its place', async (t) => {
  const { machine, task } = await redfishLab(t, { differences: { resets: ['On', 'ForceOff'] } });
  machine.power = 'On';
  await rejectsFault(
    redfishPower.setPowerState(task, 'soft power off', 60),
    'UnsupportedDriverExtension',
    /reset GracefulShutdown of this machine, whose BMC offers On, ForceOff/,
  );
  assert.deepEqual(machine.resets, []);
});

test('ForceOn is sent in place of On where the BMC offers only that, wherever it lists its reset types', async (t) => {
  const resets = ['ForceOn', 'ForceOff'];
  for (const resetsIn of ['action', 'ActionInfo'] as const) {
    const { machine, task } = await redfishLab(t, { differences: { resets, resetsIn } });
    await redfishPower.setPowerState(task, 'power on', 60);
    assert.deepEqual(machine.resets, ['ForceOn'], resetsIn);
  }
  const { machine, task } = await redfishLab(t, { differences: { resetsIn: 'nowhere' } });
  await redfishPower.setPowerState(task, 'power on', 60);
  assert.deepEqual(machine.resets, ['On']);
});

test('reset types that the BMC does not show count as unknown, until it shows them', async (t) => {
  const { bmc, machine, task } = await redfishLab(t, {
    differences: { resetsIn: 'ActionInfo', resets: ['ForceOn', 'ForceOff'] },
  });
  bmc.faults.add({ path: 'ResetActionInfo', times: 3, does: { kind: 'answer', status: 403 } });
  await redfishPower.setPowerState(task, 'power off', 60);
  bmc.faults.clear();
  await redfishPower.setPowerState(task, 'power on', 60);
  assert.deepEqual(machine.resets, ['ForceOff', 'ForceOn']);
});

test('resets that redfish_quirks names in place of On also reboot a machine that is off', async (t) => {
  const { machine, task } = await redfishLab(t, {
    differences: { resets: ['PushPowerButton', 'ForceOff'] },
    info: { redfish_quirks: { resets: { On: ['PushPowerButton'] } } },
  });
  machine.power = 'Off';
  await redfishPower.setPowerState(task, 'rebooting', 60).catch(() => undefined);
  assert.deepEqual(machine.resets, ['PushPowerButton']);
});

test('a machine that must not be powered off is rebooted with ForceRestart or GracefulRestart', async (t) => {
  const { machine, task } = await redfishLab(t, { node: { disable_power_off: true } });
  machine.power = 'On';
  await redfishPower.setPowerState(task, 'rebooting', 60);
  await redfishPower.setPowerState(task, 'soft rebooting', 60);
  assert.deepEqual(machine.resets, ['ForceRestart', 'GracefulRestart']);
});

test('without GracefulRestart, a machine that must stay on is not rebooted softly, whatever redfish_quirks names', async (t) => {
  const { machine, task } = await redfishLab(t, {
    differences: { resets: ['On', 'ForceOff', 'GracefulShutdown', 'ForceRestart'] },
    node: { disable_power_off: true },
    info: { redfish_quirks: { resets: { GracefulRestart: ['GracefulShutdown', 'On'] } } },
  });
  machine.power = 'On';
  await assert.rejects(redfishPower.setPowerState(task, 'soft rebooting', 60), /reset GracefulRestart/);
  assert.deepEqual([machine.power, machine.resets], ['On', []]);
});

test('a reset whose answer is lost is not sent again: the power state decides', async (t) => {
  const { bmc, machine, task } = await redfishLab(t);
  await redfishPower.getPowerState(task);
  bmc.faults.add({ method: 'POST', path: 'Reset', afterObeying: true, does: { kind: 'cut' } });
  await redfishPower.setPowerState(task, 'power on', 60);
  assert.deepEqual(machine.resets, ['On']);
});

test('a power change that the machine does not make fails at the time limit', async (t) => {
  const { machine, task } = await redfishLab(t);
  machine.isStuck = true;
  await rejectsFault(
    redfishPower.setPowerState(task, 'power on', 10),
    'PowerStateFailure',
    /10 s after reset On the last reading was: power off/,
  );
  assert.deepEqual(task.sleeps, [500, 1000, 2000, 4000, 2500]);
});

test('a machine that is known to be slow gets more time than the caller gives', async (t) => {
  const { machine, task } = await redfishLab(t, { shape: 'hpe', powerSeconds: 90 });
  await redfishPower.setPowerState(task, 'power on', 60);
  assert.equal(machine.power, 'On');
});

test('PoweringOn is read as on and PoweringOff as off; any other state is unknown', async (t) => {
  const { machine, task } = await redfishLab(t);
  for (const [shown, state] of [
    ['PoweringOn', 'power on'],
    ['PoweringOff', 'power off'],
    ['Paused', null],
  ] as const) {
    machine.power = shown;
    assert.equal(await redfishPower.getPowerState(task), state);
  }
});

test('a BMC with several systems needs redfish_system_id, and the fault lists the systems', async (t) => {
  const { bmc, task } = await redfishLab(t);
  const [first, second] = ['/redfish/v1/Systems/1', '/redfish/v1/Systems/2'];
  bmc.overrides.set('/redfish/v1/Systems', { Members: [{ '@odata.id': first }, { '@odata.id': second }] });
  await rejectsFault(
    redfishPower.getPowerState(task),
    'DriverInfoInvalid',
    /Systems\/1, \/redfish\/v1\/Systems\/2/,
  );
  await task.update({ driver_info: { ...task.node.driver_info, redfish_system_id: first } });
  assert.equal(await redfishPower.getPowerState(task), 'power off');
});

test('a daemon manages a Redfish machine with one session, and logs out when it stops', async (t) => {
  const fake = await startFakeRedfish();
  t.after(() => fake.stop());
  const { bmc, machine, address } = fake;
  const daemon = await startInProcess(t, {
    loops: true,
    ini: 'enabled_hardware_types = redfish\n[conductor]\nsync_power_state_interval = 200\n',
  });
  const { uuid } = await daemon.createNode({
    driver: 'redfish',
    driver_info: { redfish_address: address, redfish_username: 'admin', redfish_password: 'secret' },
  });
  const put = (path: string, target: string) =>
    daemon.request('PUT', `/v1/nodes/${uuid}/states/${path}`, { body: { target } });
  assert.equal((await put('provision', 'manage')).status, 202);
  await daemon.idle();
  const { provision_state, power_state, properties } = daemon.node(uuid);
  assert.deepEqual(
    [provision_state, power_state, properties],
    ['manageable', 'power off', { vendor: 'Contoso' }],
  );
  assert.equal((await put('power', 'power on')).status, 202);
  await daemon.idle();
  assert.equal(daemon.node(uuid).power_state, 'power on');
  machine.health = 'Warning';
  await daemon.clock.advance(200_000);
  // the synchronization goes through a real socket
  while (daemon.node(uuid).health !== 'Warning') await setImmediate();
  assert.equal(bmc.sessions.logins, 1);
  await daemon.stop();
  assert.equal(bmc.sessions.open.size, 0);
});
