// What the agent inspect interface does to the machine and to the record, step by step.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  type BootInterface,
  defineManagement,
  fault,
  type ManagementInterface,
  type Node,
} from '#plugin-api';
import { createAgentInspect } from '../../../plugins/agent/inspect.ts';
import { fakeTask } from '../../fakes/task.ts';

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
    /** Boots ramdisks; without it nothing does. */
    readonly boot?: Partial<BootInterface>;
    readonly keepsRamdisk?: boolean;
    readonly powerFailures?: Readonly<Record<string, Error>>;
  } = {},
) {
  const management = defineManagement({
    properties: {},
    validate() {},
    supportedBootDevices: () => ['pxe'],
    getBootDevice: async () => ({ boot_device: null, persistent: null }),
    async setBootDevice(_task, device, persistent) {
      recorded.done.push(`boot device ${device} ${persistent ? 'for good' : 'once'}`);
    },
    ...options.management,
  });
  const recorded = fakeTask({
    node: options.node ?? {},
    driver: { management, boot: options.boot === undefined ? noBoot : booting(options.boot) },
    keepsRamdisk: options.keepsRamdisk ?? false,
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

test('inspection power-cycles the machine into one boot from the network and waits', async () => {
  const task = start();
  assert.equal(await inspect.inspectHardware(task), 'inspect wait');
  assert.deepEqual(task.done, ['update', 'set power off', 'boot device pxe once', 'set power on']);
});

test('a machine that must not be powered off is rebooted', async () => {
  const task = start({ node: { disable_power_off: true } });
  await inspect.inspectHardware(task);
  assert.deepEqual(task.done, ['update', 'boot device pxe once', 'set rebooting']);
});

test("the BMC's addresses are recorded beside what is there, in place of earlier ones", async () => {
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

test('without addresses nothing of an earlier inspection is left', async () => {
  const task = start({ node: { driver_internal_info: { lookup_bmc_addresses: ['198.51.100.1'] } } });
  await inspect.inspectHardware(task);
  assert.deepEqual(task.node.driver_internal_info, { inspector_manage_boot: false });
});

test('a BMC whose name does not resolve is logged and does not stop the inspection', async () => {
  const unresolving = createAgentInspect(async () => {
    throw new Error('ENOTFOUND');
  });
  const task = start({ node: { driver_info: { ipmi_address: 'bmc.example' } } });
  assert.equal(await unresolving.inspectHardware(task), 'inspect wait');
  assert.match(task.logged.map(({ message }) => message).join('\n'), /bmc\.example cannot be resolved/);
});

test('ports are made of the MAC addresses that the BMC knows', async () => {
  const task = start({ management: { getMacAddresses: async () => ['52:54:00:00:00:01'] } });
  await inspect.inspectHardware(task);
  assert.equal(task.done[0], 'add ports 52:54:00:00:00:01');
});

test('no port is made of them when pre_create_ports is false', async () => {
  const management = { getMacAddresses: async () => ['52:54:00:00:00:01'] };
  const task = start({ management, inspector: { pre_create_ports: false } });
  await inspect.inspectHardware(task);
  assert.deepEqual(task.addedPorts, []);
});

test('a start that fails says so and keeps its cause', async () => {
  const cause = new Error('the BMC is asleep');
  const task = start({ powerFailures: { 'power off': cause } });
  await assert.rejects(inspect.inspectHardware(task), {
    name: 'InspectionError',
    message: 'unable to start inspection: the BMC is asleep',
    cause,
  });
  assert.equal(task.done.includes('set power on'), false);
});

test('a node is as valid as its management interface finds it', async () => {
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

test('a boot interface that can boots the ramdisk, which is told where to report and what the operator adds', async () => {
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

test('a machine that must not be powered off is rebooted into the ramdisk', async () => {
  const task = start({ boot: {}, node: { disable_power_off: true } });
  await inspect.inspectHardware(task);
  assert.deepEqual(
    task.done.map((line) => line.split(' {')[0]),
    ['update', 'prepare', 'set rebooting'],
  );
});

for (const require_managed_boot of [true, false])
  test(`a wrong description of a boot that could be managed is refused, required (${require_managed_boot}) or not`, async () => {
    const missing = fault('DriverInfoMissing', { node: 'n', names: 'deploy_kernel', hint: '' });
    const task = start({ boot: refusing(missing), inspector: { require_managed_boot } });
    await assert.rejects(async () => inspect.validate(task), missing);
    await assert.rejects(inspect.inspectHardware(task), { name: 'InspectionError', cause: missing });
    assert.deepEqual(task.powerTargets, []);
  });

test('with require_managed_boot a node that nothing boots is refused, and the option named', async () => {
  const task = start({ inspector: { require_managed_boot: true } });
  await assert.rejects(async () => inspect.validate(task), {
    code: 'UnsupportedDriverExtension',
    message:
      /managed boot for inspection of node .*\[inspector\] require_managed_boot.*set the option to false/,
  });
  await inspect.validate(start({ boot: {}, inspector: { require_managed_boot: true } }));
});

test('a boot interface that boots no ramdisk leaves the boot to others, whatever it says of the node', async () => {
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

  test(`${name} forgets the BMC addresses and powers the machine off`, async () => {
    const task = start({ node: inspected });
    await inspect[name]?.(task);
    assert.deepEqual(task.node.driver_internal_info, { kept: 1 });
    assert.deepEqual(task.done, ['update', 'set power off']);
  });

  test(`${name} takes the ramdisk from a machine that was booted into it, and powers that off whatever fails`, async () => {
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

  test(`${name} leaves a ramdisk that is kept for what comes next running`, async () => {
    const task = start({ node: inspected, keepsRamdisk: true });
    await inspect[name]?.(task);
    assert.deepEqual(task.powerTargets, []);
  });

  test(`${name} reboots a machine that must not be powered off`, async () => {
    const task = start({ node: { ...inspected, disable_power_off: true } });
    await inspect[name]?.(task);
    assert.deepEqual(task.done, ['update', 'set rebooting']);
  });

  test(`${name} leaves the machine running when power_off is false`, async () => {
    const task = start({ node: inspected, inspector: { power_off: false } });
    await inspect[name]?.(task);
    assert.deepEqual(task.done, ['update']);
  });

  test(`${name} forgets the BMC addresses even when the machine cannot be powered off`, async () => {
    const task = start({ node: inspected, powerFailures: { 'power off': new Error('no answer') } });
    await assert.rejects(async () => inspect[name]?.(task), { message: 'no answer' });
    assert.deepEqual(task.node.driver_internal_info, { kept: 1 });
  });
}
