// The four fake interfaces that have operations.
import assert from 'node:assert/strict';
import test from 'node:test';
import { powerTargets } from '../../../daemon/model/power-states.ts';
import { fakeInspect } from '../../../plugins/fake/inspect.ts';
import { fakeManagement } from '../../../plugins/fake/management.ts';
import { fakePower } from '../../../plugins/fake/power.ts';
import { fakeTask } from '../../fakes/task.ts';

const delays = { inspect_delay: '2', management_delay: '3', power_delay: '4' };
const slowTask = (node = {}) => fakeTask({ node, configuration: { fake: delays } });

test('the power state is the recorded one, also when none is recorded', async () => {
  assert.equal(await fakePower.getPowerState(slowTask({ power_state: 'power on' })), 'power on');
  assert.equal(await fakePower.getPowerState(slowTask()), null);
});

test('every power target is supported and reached after the delay', async () => {
  assert.deepEqual(new Set(fakePower.supportedTargets), new Set(powerTargets));
  for (const target of powerTargets) {
    const task = slowTask();
    await fakePower.setPowerState(task, target, 60);
    assert.deepEqual(task.done, ['sleep 4000']);
  }
});

test('the machine boots from the network, once', async () => {
  const task = slowTask();
  assert.deepEqual(fakeManagement.supportedBootDevices(task), ['pxe']);
  assert.deepEqual(await fakeManagement.getBootDevice(task), { boot_device: 'pxe', persistent: false });
  await fakeManagement.setBootDevice(task, 'pxe', false);
  assert.deepEqual(task.done, ['sleep 3000', 'sleep 3000']);
});

test('no other boot device can be set', async () => {
  const task = slowTask();
  await assert.rejects(fakeManagement.setBootDevice(task, 'disk', false), {
    code: 'InvalidParameter',
    message: /boot_device: disk.*takes pxe/,
  });
  assert.deepEqual(task.done, []);
});

test('inspection is complete after the delay and cannot be waited for', async () => {
  const task = slowTask();
  assert.equal(await fakeInspect.inspectHardware(task), 'manageable');
  assert.deepEqual(task.done, ['sleep 2000']);
  assert.equal('abort' in fakeInspect, false);
});

for (const [type, fake] of Object.entries({
  inspect: fakeInspect,
  management: fakeManagement,
  power: fakePower,
})) {
  test(`validating the fake ${type} interface takes no time and reports a delay that is none`, () => {
    const task = slowTask();
    void fake.validate(task);
    assert.deepEqual(task.done, []);
    const configuration = { fake: { ...delays, [`${type}_delay`]: 'x' } };
    assert.throws(() => fake.validate(fakeTask({ configuration })), {
      message: new RegExp(`\\[fake\\] ${type}_delay is "x"`),
    });
  });
}
