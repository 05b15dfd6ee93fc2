// What the agent inspect interface does to the machine and to the record, step by step.
import assert from 'node:assert/strict';
import test from 'node:test';
import { defineManagement, fault, type ManagementInterface, type Node } from '#plugin-api';
import { createAgentInspect } from '../../../plugins/agent/inspect.ts';
import { fakeTask } from '../../fakes/task.ts';

const inspect = createAgentInspect(async () => ['192.0.2.7']);
const inspector = { power_off: true, pre_create_ports: true, require_managed_boot: false };

function start(
  options: {
    readonly node?: Partial<Node>;
    readonly inspector?: object;
    readonly management?: Partial<ManagementInterface>;
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
    driver: { management },
    configuration: { inspector: { ...inspector, ...options.inspector } },
    powerFailures: options.powerFailures ?? {},
  });
  return recorded;
}

test('inspection power-cycles the machine into one boot from the network and waits', async () => {
  const task = start();
  assert.equal(await inspect.inspectHardware(task), 'inspect wait');
  assert.deepEqual(task.done, ['set power off', 'boot device pxe once', 'set power on']);
});

test('a machine that must not be powered off is rebooted', async () => {
  const task = start({ node: { disable_power_off: true } });
  await inspect.inspectHardware(task);
  assert.deepEqual(task.done, ['boot device pxe once', 'set rebooting']);
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
    lookup_bmc_addresses: ['bmc.example', '192.0.2.7'],
  });
});

test('without addresses nothing of an earlier inspection is left', async () => {
  const task = start({ node: { driver_internal_info: { lookup_bmc_addresses: ['198.51.100.1'] } } });
  await inspect.inspectHardware(task);
  assert.deepEqual(task.node.driver_internal_info, {});
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

test('a start that fails says so, keeps its cause and forgets the BMC addresses', async () => {
  const cause = new Error('the BMC is asleep');
  const task = start({
    node: { driver_info: { ipmi_address: '192.0.2.1' } },
    powerFailures: { 'power off': cause },
  });
  await assert.rejects(inspect.inspectHardware(task), {
    name: 'InspectionError',
    message: 'unable to start inspection: the BMC is asleep',
    cause,
  });
  assert.deepEqual(task.node.driver_internal_info, {});
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

test('require_managed_boot refuses and names the option', async () => {
  const task = start({ inspector: { require_managed_boot: true } });
  await assert.rejects(async () => inspect.validate(task), {
    code: 'UnsupportedDriverExtension',
    message: /managed boot for inspection of node .*\[inspector\] require_managed_boot.*set it to false/,
  });
});

for (const name of ['abort', 'finish'] as const) {
  const inspected = { driver_internal_info: { kept: 1, lookup_bmc_addresses: ['192.0.2.1'] } };

  test(`${name} forgets the BMC addresses and powers the machine off`, async () => {
    const task = start({ node: inspected });
    await inspect[name]?.(task);
    assert.deepEqual(task.node.driver_internal_info, { kept: 1 });
    assert.deepEqual(task.done, ['update', 'set power off']);
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
