// How the agent inspect interface changes the machine and the node.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  type BootInterface,
  defineManagement,
  fault,
  type ManagementInterface,
  type Node,
} from '#plugin-api';
import { createAgentInspect } from '../../../../plugins/agent/inspection/inspect.ts';
import { fakeTask } from '../../../fakes/task.ts';

const inspect = createAgentInspect(async () => ['192.0.2.7']);
const inspector = {
  power_off: true,
  pre_create_ports: true,
  require_managed_boot: false,
  extra_kernel_params: '',
};
const refusing = (error: Error) => ({
  properties: {},
  validate() {
    throw error;
  },
});
const noBoot = refusing(fault('UnsupportedDriverExtension', { driver: 'd', extension: 'boot' }));

function start(
  options: {
    readonly node?: Partial<Node>;
    readonly inspector?: object;
    readonly management?: Partial<ManagementInterface>;
    /** Without `boot` the driver cannot boot ramdisks. */
    readonly boot?: Partial<BootInterface>;
    readonly keepsRamdisk?: boolean;
    readonly powerFailures?: Readonly<Record<string, Error>>;
  } = {},
) {
  const management = defineManagement({
    properties: {},
    validate() {},
    supportedBootDevices: async () => ['pxe'],
    getBootDevice: async () => ({ boot_device: null, persistent: null }),
    async setBootDevice(_task, device, persistent) {
      recorded.done.push(`boot device ${device} ${persistent ? 'for good' : 'once'}`);
    },
    ...options.management,
  });
  const recorded = fakeTask({
    node: options.node ?? {},
    driver: { management, boot: options.boot === undefined ? noBoot : booting(options.boot) },
    ramdiskStaysRunning: options.keepsRamdisk ?? false,
    configuration: { inspector: { ...inspector, ...options.inspector } },
    powerFailures: options.powerFailures ?? {},
  });
  function booting(boot: Partial<BootInterface>): BootInterface {
    return {
      properties: {},
      validate() {},
      async prepareRamdisk(_task, parameters) {
        recorded.done.push(`prepare ${JSON.stringify(parameters)}`);
      },
      async cleanUpRamdisk() {
        recorded.done.push('clean up');
      },
      ...boot,
    };
  }
  return recorded;
}

test('inspection power-cycles the machine into a one-time network boot and waits', async () => {
  const task = start();
  assert.equal(await inspect.inspectHardware(task), 'inspect wait');
  assert.deepEqual(task.done, ['update', 'set power off', 'boot device pxe once', 'set power on']);
});

test('a machine with disable_power_off is rebooted into a one-time network boot', async () => {
  const task = start({ node: { disable_power_off: true } });
  await inspect.inspectHardware(task);
  assert.deepEqual(task.done, ['update', 'boot device pxe once', 'set rebooting']);
});

test('new BMC addresses replace the recorded ones and keep the rest of driver_internal_info', async () => {
  const task = start({
    node: {
      driver_info: { ipmi_address: 'bmc.example' },
      driver_internal_info: { kept: 1, lookup_bmc_addresses: ['198.51.100.1'] },
    },
  });
  await inspect.inspectHardware(task);
  assert.deepEqual(task.node.driver_internal_info, {
    kept: 1,
    inspector_manage_boot: false,
    lookup_bmc_addresses: ['bmc.example', '192.0.2.7'],
  });
});

test('an inspection of a node without BMC addresses removes those of an earlier inspection', async () => {
  const task = start({ node: { driver_internal_info: { lookup_bmc_addresses: ['198.51.100.1'] } } });
  await inspect.inspectHardware(task);
  assert.deepEqual(task.node.driver_internal_info, { inspector_manage_boot: false });
});

test('an unresolvable BMC name is logged and does not fail the inspection', async () => {
  const unresolving = createAgentInspect(async () => {
    throw new Error('ENOTFOUND');
  });
  const task = start({ node: { driver_info: { ipmi_address: 'bmc.example' } } });
  assert.equal(await unresolving.inspectHardware(task), 'inspect wait');
  assert.match(task.logged.map(({ message }) => message).join('\n'), /bmc\.example cannot be resolved/);
});

test('the MAC addresses that the BMC reports become ports', async () => {
  const task = start({ management: { getMacAddresses: async () => ['52:54:00:00:00:01'] } });
  await inspect.inspectHardware(task);
  assert.equal(task.done[0], 'add ports 52:54:00:00:00:01');
});

test("pre_create_ports = false creates no ports from the BMC's MAC addresses", async () => {
  const management = { getMacAddresses: async () => ['52:54:00:00:00:01'] };
  const task = start({ management, inspector: { pre_create_ports: false } });
  await inspect.inspectHardware(task);
  assert.deepEqual(task.addedPorts, []);
});

test('a failed start raises an InspectionError with its cause', async () => {
  const cause = new Error('the BMC is asleep');
  const task = start({ powerFailures: { 'power off': cause } });
  await assert.rejects(inspect.inspectHardware(task), {
    name: 'InspectionError',
    message: 'unable to start inspection: the BMC is asleep',
    cause,
  });
  assert.equal(task.done.includes('set power on'), false);
});

test("validation fails when the management interface's validation fails", async () => {
  await inspect.validate(start());
  const missing = fault('DriverInfoMissing', { node: 'n', names: 'ipmi_address', hint: '' });
  const task = start({
    management: {
      validate() {
        throw missing;
      },
    },
  });
  await assert.rejects(async () => inspect.validate(task), missing);
});

test('managed boot passes the callback URL and extra_kernel_params to the ramdisk', async () => {
  const extra_kernel_params = 'ipa-inspection-collectors=default console=ttyS0 nomodeset console=ttyS1';
  const task = start({ boot: {}, inspector: { extra_kernel_params } });
  assert.equal(await inspect.inspectHardware(task), 'inspect wait');
  const told = {
    'ipa-api-url': 'http://10.0.0.1:6385',
    'ipa-inspection-collectors': 'default',
    console: 'ttyS1',
    nomodeset: null,
    'ipa-inspection-callback-url': 'http://10.0.0.1:6385/v1/continue_inspection',
  };
  assert.deepEqual(task.done, ['update', 'set power off', `prepare ${JSON.stringify(told)}`, 'set power on']);
  assert.deepEqual(task.node.driver_internal_info, { inspector_manage_boot: true });
});

test('a machine with disable_power_off is rebooted into the ramdisk', async () => {
  const task = start({ boot: {}, node: { disable_power_off: true } });
  await inspect.inspectHardware(task);
  assert.deepEqual(
    task.done.map((line) => line.split(' {')[0]),
    ['update', 'prepare', 'set rebooting'],
  );
});

for (const require_managed_boot of [true, false])
  test(`invalid managed boot settings are refused with require_managed_boot = ${require_managed_boot}`, async () => {
    const missing = fault('DriverInfoMissing', { node: 'n', names: 'deploy_kernel', hint: '' });
    const task = start({ boot: refusing(missing), inspector: { require_managed_boot } });
    await assert.rejects(async () => inspect.validate(task), missing);
    await assert.rejects(inspect.inspectHardware(task), { name: 'InspectionError', cause: missing });
    assert.deepEqual(task.powerTargets, []);
  });

test('require_managed_boot refuses a node without managed boot and names the option', async () => {
  const task = start({ inspector: { require_managed_boot: true } });
  await assert.rejects(async () => inspect.validate(task), {
    code: 'UnsupportedDriverExtension',
    message:
      /managed boot for inspection of node .*\[inspector\] require_managed_boot.*set the option to false/,
  });
  await inspect.validate(start({ boot: {}, inspector: { require_managed_boot: true } }));
});

test('an invalid boot interface that cannot boot ramdisks does not fail the inspection', async () => {
  const task = start();
  Object.assign(task.driver, {
    boot: refusing(fault('DriverInfoMissing', { node: 'n', names: 'x', hint: '' })),
  });
  await inspect.validate(task);
  await inspect.inspectHardware(task);
  assert.ok(task.done.includes('boot device pxe once'));
});

for (const name of ['abort', 'finish'] as const) {
  const inspected = { driver_internal_info: { kept: 1, lookup_bmc_addresses: ['192.0.2.1'] } };

  test(`${name} removes the BMC addresses and powers the machine off`, async () => {
    const task = start({ node: inspected });
    await inspect[name]?.(task);
    assert.deepEqual(task.node.driver_internal_info, { kept: 1 });
    assert.deepEqual(task.done, ['update', 'set power off']);
  });

  test(`${name} cleans up a managed ramdisk, powers the machine off, and reports the failures of both`, async () => {
    const driver_internal_info = { inspector_manage_boot: true, kept: 1 };
    const task = start({ boot: {}, node: { driver_internal_info } });
    await inspect[name]?.(task);
    assert.deepEqual(task.done, ['update', 'clean up', 'set power off']);
    assert.deepEqual(task.node.driver_internal_info, { kept: 1 });
    const stuck = start({
      boot: { cleanUpRamdisk: () => Promise.reject(new Error('no medium')) },
      node: { driver_internal_info },
      powerFailures: { 'power off': new Error('no answer') },
    });
    await assert.rejects(async () => inspect[name]?.(stuck), { message: 'no medium; no answer' });
  });

  test(`${name} leaves the ramdisk running when it is kept for the next operation`, async () => {
    const task = start({ node: inspected, keepsRamdisk: true });
    await inspect[name]?.(task);
    assert.deepEqual(task.powerTargets, []);
  });

  test(`${name} reboots a machine with disable_power_off`, async () => {
    const task = start({ node: { ...inspected, disable_power_off: true } });
    await inspect[name]?.(task);
    assert.deepEqual(task.done, ['update', 'set rebooting']);
  });

  test(`${name} leaves the machine running when power_off is false`, async () => {
    const task = start({ node: inspected, inspector: { power_off: false } });
    await inspect[name]?.(task);
    assert.deepEqual(task.done, ['update']);
  });

  test(`${name} removes the BMC addresses even when powering off fails`, async () => {
    const task = start({ node: inspected, powerFailures: { 'power off': new Error('no answer') } });
    await assert.rejects(async () => inspect[name]?.(task), { message: 'no answer' });
    assert.deepEqual(task.node.driver_internal_info, { kept: 1 });
  });
}
