import assert from 'node:assert/strict';
import test, { after, before, beforeEach } from 'node:test';
import * as fc from 'fast-check';
import { parsePowerState, powerActions, ipmitoolPower as power } from '../../../plugins/ipmi/power.ts';
import { type IpmiSim, startIpmiSim } from '../../../daemon/simulator/ipmi/ipmi-sim.ts';
import { ipmiTask } from './ipmi-task.ts';

let sim: IpmiSim;
before(async () => {
  sim = await startIpmiSim();
});
after(() => sim.stop());
beforeEach(() => {
  sim.behave('normal');
  sim.setPower('off');
});

test('the power state is read from the BMC', async () => {
  const task = ipmiTask(sim);
  assert.equal(await power.getPowerState(task), 'power off');
  sim.setPower('on');
  assert.equal(await power.getPowerState(task), 'power on');
});

test('each conversation uses the queue of its BMC with the configured interval and timeout', async () => {
  const task = ipmiTask(sim, {}, { ipmi: { command_retry_timeout: 60, min_command_interval: 5 } });
  await power.getPowerState(task);
  assert.deepEqual(task.conversations, [
    { address: `ipmi://127.0.0.1:${sim.port}`, options: { minimumGap: 5000, deadline: 60_000 } },
  ]);
});

test('with min_command_interval = 0, pauses are requested only for a BMC that did not answer', async () => {
  const task = ipmiTask(sim, {}, { ipmi: { command_retry_timeout: 60, min_command_interval: 0 } });
  await power.getPowerState(task);
  assert.deepEqual(
    task.conversations.map(({ options }) => options),
    [{ gapAfterSilence: 5000, deadline: 60_000 }],
  );
});

for (const [target, initially, changes, finally_] of [
  ['power on', 'off', ['set power 1'], 'on'],
  ['power off', 'on', ['set power 0'], 'off'],
  ['rebooting', 'on', ['set power 0', 'set power 1'], 'on'],
  ['rebooting', 'off', ['set power 1'], 'on'],
  ['soft power off', 'on', ['set shutdown 1'], 'off'],
  ['soft rebooting', 'on', ['set shutdown 1', 'set power 1'], 'on'],
] as const) {
  test(`${target} of a machine that is ${initially} sends ${changes.join(', ')}`, async () => {
    sim.setPower(initially);
    const earlier = sim.changes().length;
    await power.setPowerState(ipmiTask(sim), target, 60);
    assert.equal(sim.power(), finally_);
    assert.deepEqual(sim.changes().slice(earlier), changes);
  });
}

test('with disable_power_off, a machine is rebooted by a reset', async () => {
  sim.setPower('on');
  const earlier = sim.changes().length;
  await power.setPowerState(ipmiTask(sim, {}, { node: { disable_power_off: true } }), 'rebooting', 60);
  assert.deepEqual(sim.changes().slice(earlier), ['set reset 1']);
});

test('with disable_power_off, a machine that is on is not rebooted softly, because a soft reboot powers it off', async () => {
  sim.setPower('on');
  const earlier = sim.changes().length;
  const task = ipmiTask(sim, {}, { node: { disable_power_off: true } });
  await assert.rejects(
    power.setPowerState(task, 'soft rebooting', 60),
    /disable_power_off forbids; request "rebooting"/,
  );
  assert.deepEqual(sim.changes().slice(earlier), []);
});

test('a BMC that still reports the old state is read again after a pause', async () => {
  sim.behave('late');
  const task = ipmiTask(sim);
  await power.setPowerState(task, 'power on', 60);
  assert.equal(await power.getPowerState(task), 'power on');
  assert.deepEqual(task.sleeps, [500]);
});

test('a power change that does not happen fails at the timeout, after readings with growing pauses', async () => {
  sim.behave('stuck');
  const task = ipmiTask(sim);
  await assert.rejects(power.setPowerState(task, 'power on', 20), {
    code: 'PowerStateFailure',
    message: `Failed to set node power state to power on on node ${task.node.uuid}: 20 s after "power on" the last reading was: power off`,
  });
  assert.deepEqual(task.sleeps, [500, 1000, 2000, 4000, 8000, 4500]);
});

test('a failed soft power off suggests a hard power off', async () => {
  sim.setPower('on');
  sim.behave('deaf');
  await assert.rejects(
    power.setPowerState(ipmiTask(sim), 'soft power off', 5),
    /was: power on; the operating system may ignore the request: try a hard power off$/,
  );
});

test('a power change that the BMC refuses fails immediately', async () => {
  sim.behave('fail');
  const task = ipmiTask(sim);
  await assert.rejects(power.setPowerState(task, 'power on', 60), {
    code: 'BmcFailure',
    message: `Power on failed for node ${task.node.uuid} on BMC ipmi://127.0.0.1:${sim.port}: it refused: "Set Chassis Power Control to Up/On failed: Unspecified error"`,
  });
});

test('failed readings after a power change are repeated until the timeout', async () => {
  sim.behave('late');
  const task = ipmiTask(sim);
  const sleep = task.clock.sleep.bind(task.clock);
  task.clock.sleep = (milliseconds) => {
    sim.behave('fail');
    return sleep(milliseconds);
  };
  await assert.rejects(
    power.setPowerState(task, 'power on', 5),
    /5 s after "power on" the last reading was: Reading the power state failed .*it refused: "Get Chassis Power Status failed/,
  );
  assert.deepEqual(task.sleeps, [500, 1000, 2000, 1500]);
});

test('a power change fails with AbortError when its task is aborted', async () => {
  sim.behave('stuck');
  const task = ipmiTask(sim);
  const sleep = task.clock.sleep.bind(task.clock);
  task.clock.sleep = (milliseconds) => {
    task.abort();
    return sleep(milliseconds);
  };
  await assert.rejects(power.setPowerState(task, 'power on', 60), { name: 'AbortError' });
});

test('validation refuses invalid driver_info', () => {
  assert.throws(() => power.validate(ipmiTask(sim, { ipmi_address: '' })), { code: 'DriverInfoMissing' });
  assert.throws(() => power.validate(ipmiTask(sim, { ipmi_force_boot_device: 'perhaps' })), {
    code: 'DriverInfoInvalid',
  });
  assert.doesNotThrow(() => power.validate(ipmiTask(sim)));
});

test('a machine that is off still gets the commands to power off, and a soft reboot only powers it on', () => {
  const off = { isOff: true, mayPowerOff: true };
  assert.deepEqual(powerActions('power off', off), ['off']);
  assert.deepEqual(powerActions('soft power off', off), ['soft']);
  assert.deepEqual(powerActions('soft rebooting', off), ['on']);
});

test('an answer other than on and off is parsed as null', () => {
  assert.equal(parsePowerState('Chassis Power is on\n'), 'power on');
  assert.equal(parsePowerState('Chassis Power is off\n'), 'power off');
  fc.assert(
    fc.property(fc.string(), (text) => {
      const known = /Chassis Power is (?:on|off)\b/.test(text);
      assert.equal(parsePowerState(text) !== null, known);
    }),
  );
  assert.equal(parsePowerState('Chassis Power is offline?'), null);
});
