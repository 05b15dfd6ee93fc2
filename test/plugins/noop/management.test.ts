// The management interface that changes nothing.
import assert from 'node:assert/strict';
import test from 'node:test';
import { noopManagement } from '../../../plugins/noop/management.ts';
import { fakeTask } from '../../fakes/task.ts';

test('the reported boot device is pxe for every boot', async () => {
  const task = fakeTask();
  await noopManagement.validate(task);
  assert.deepEqual(await noopManagement.supportedBootDevices(task), ['pxe', 'disk']);
  assert.deepEqual(await noopManagement.getBootDevice(task), { boot_device: 'pxe', persistent: true });
});

test('setting a boot device changes nothing and logs that', async () => {
  const task = fakeTask();
  await noopManagement.setBootDevice(task, 'disk', true);
  assert.deepEqual(task.done, []);
  assert.match(task.logged.map(({ message }) => message).join('\n'), /was not changed/);
});

test('a boot device other than pxe and disk is refused', async () => {
  await assert.rejects(noopManagement.setBootDevice(fakeTask(), 'cdrom', false), {
    code: 'InvalidParameter',
    message: /boot_device: cdrom.*pxe, disk/,
  });
});
