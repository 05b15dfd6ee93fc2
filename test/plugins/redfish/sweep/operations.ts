// The operations of the driver for the sweep, each with a check of what it must have brought about or returned.
import assert from 'node:assert/strict';
import type { JsonObject, Node } from '../../../../daemon/plugin-api/index.ts';
import { redfishBios } from '../../../../plugins/redfish/bios/bios.ts';
import { redfishFirmware } from '../../../../plugins/redfish/firmware/firmware.ts';
import { redfishInspect } from '../../../../plugins/redfish/inspect/inspect.ts';
import { redfishManagement } from '../../../../plugins/redfish/management/management.ts';
import { redfishPower } from '../../../../plugins/redfish/power/power.ts';
import type { RedfishLab } from '../redfish-lab.ts';

export interface Operation {
  /** The last parts of the paths without which the operation cannot do its work, each with the reason. */
  readonly needs: Readonly<Record<string, string>>;
  readonly node?: Partial<Node>;
  /** Brings the machine into the state in which the operation begins. */
  readonly begin?: (lab: RedfishLab) => void;
  /** Runs the operation; throws when it has not done its work. */
  readonly run: (lab: RedfishLab) => Promise<unknown>;
}

const SYSTEM = {
  '/Systems': 'driver_info names no system, so the list of systems must show the only one',
  '/Systems/1': 'the system itself',
};
const IMAGE = 'http://192.0.2.9/boot.iso';
const MEDIA = {
  '/VirtualMedia': 'the list of slots',
  '/VirtualMedia/CD': 'the only slot that takes a CD',
};

const turnOn = ({ machine }: RedfishLab): void => void (machine.power = 'On');
const insert = ({ machine }: RedfishLab): void => machine.insert('CD', IMAGE);
const given = { properties: { cpu_arch: 'x86_64', memory_mb: 1024, local_gb: 10 } };

async function runStep({ task }: RedfishLab, name: string): Promise<void> {
  await redfishManagement.steps?.[name]?.run(task, {});
}

const setPower =
  (target: 'power on' | 'power off' | 'rebooting', resets: readonly string[]) =>
  async ({ task, machine }: RedfishLab) => {
    await redfishPower.setPowerState(task, target, 60);
    assert.deepEqual(machine.resets, resets);
    assert.equal(machine.power, target === 'power off' ? 'Off' : 'On');
  };

export const operations: Readonly<Record<string, Operation>> = {
  'read the power state': {
    needs: SYSTEM,
    run: async ({ task }) => assert.equal(await redfishPower.getPowerState(task), 'power off'),
  },
  'power on': { needs: SYSTEM, run: setPower('power on', ['On']) },
  'power off': { needs: SYSTEM, begin: turnOn, run: setPower('power off', ['ForceOff']) },
  reboot: { needs: SYSTEM, begin: turnOn, run: setPower('rebooting', ['ForceOff', 'On']) },
  'read health and boot mode': {
    needs: SYSTEM,
    run: async ({ task }) => assert.equal((await redfishPower.readCondition?.(task))?.health, 'OK'),
  },
  manage: {
    needs: SYSTEM,
    async run(lab) {
      assert.equal(await redfishPower.getPowerState(lab.task), 'power off');
      await runStep(lab, 'verify_bmc_clock');
      await runStep(lab, 'record_vendor');
      assert.equal(lab.task.node.properties['vendor'], 'Contoso');
    },
  },
  'read the boot device': {
    needs: SYSTEM,
    run: async ({ task }) =>
      assert.deepEqual(await redfishManagement.getBootDevice(task), { boot_device: null, persistent: null }),
  },
  'set the boot device': {
    needs: SYSTEM,
    async run({ task, machine }) {
      await redfishManagement.setBootDevice(task, 'pxe', false);
      assert.deepEqual(
        [machine.boot.BootSourceOverrideTarget, machine.boot.BootSourceOverrideEnabled],
        ['Pxe', 'Once'],
      );
    },
  },
  'set the boot mode': {
    needs: SYSTEM,
    async run({ task, machine }) {
      await redfishManagement.setBootMode?.(task, 'bios');
      assert.equal(machine.boot.BootSourceOverrideMode, 'Legacy');
    },
  },
  'set Secure Boot': {
    needs: { ...SYSTEM, '/SecureBoot': 'what is to be changed' },
    node: { provision_state: 'deploying' },
    async run({ task, machine }) {
      await redfishManagement.setSecureBoot?.(task, true);
      assert.equal(machine.secureBootWanted, true);
    },
  },
  inspect: {
    needs: SYSTEM,
    node: given,
    async run({ task }) {
      const { inventory } = (await redfishInspect.inspectHardware(task)) as unknown as {
        inventory: JsonObject;
      };
      assert.ok(Array.isArray(inventory['interfaces']));
    },
  },
  'read the MAC addresses': {
    needs: SYSTEM,
    run: async ({ task }) => void (await redfishManagement.getMacAddresses?.(task)),
  },
  'read the sensors': {
    needs: SYSTEM,
    run: async ({ task }) => void (await redfishManagement.readSensors?.(task)),
  },
  'list the indicators': {
    needs: SYSTEM,
    async run({ task }) {
      const all = (await redfishManagement.listIndicators?.(task)) ?? [];
      assert.ok(all.some(({ component }) => component === 'system'));
    },
  },
  'read the firmware versions': {
    needs: SYSTEM,
    async run({ task }) {
      const all = (await redfishFirmware.readComponents?.(task)) ?? [];
      assert.ok(all.some(({ component }) => component === 'bios'));
    },
  },
  'read the BIOS settings': {
    needs: { ...SYSTEM, '/Bios': 'the settings themselves' },
    async run({ task }) {
      const all = (await redfishBios.readSettings?.(task)) ?? [];
      assert.ok(all.some(({ name }) => name === 'NumLock'));
    },
  },
  'change BIOS settings': {
    needs: {
      ...SYSTEM,
      '/Bios': 'the settings as they are, and where they are changed',
      '/Bios/Settings': 'whether other changes wait',
    },
    async run({ task, machine }) {
      const settings = [{ name: 'NumLock', value: 'Off' }];
      await redfishBios.steps?.['apply_configuration']?.run(task, { settings });
      assert.equal(machine.attributesWanted['NumLock'], 'Off');
    },
  },
  'list virtual media': {
    needs: { ...SYSTEM, '/VirtualMedia': 'the list of slots' },
    begin: insert,
    async run({ task }) {
      const all = (await redfishManagement.listVirtualMedia?.(task)) ?? [];
      assert.ok(all.length > 0);
    },
  },
  'insert virtual media': {
    needs: { ...SYSTEM, ...MEDIA },
    async run({ task, machine }) {
      await redfishManagement.attachVirtualMedia?.(task, 'cdrom', IMAGE);
      assert.equal(machine.media['CD']?.image, IMAGE);
    },
  },
  'eject virtual media': {
    needs: { ...SYSTEM, ...MEDIA },
    begin: insert,
    async run({ bmc, task, machine }) {
      await redfishManagement.detachVirtualMedia?.(task, ['cdrom']);
      const isGone = bmc.requests.some(({ path, status }) => path.endsWith('/CD') && status === 404);
      assert.equal(machine.media['CD']?.inserted, isGone);
    },
  },
  'inject an NMI': {
    needs: SYSTEM,
    begin: turnOn,
    async run({ task, machine }) {
      await redfishManagement.injectNmi?.(task);
      assert.deepEqual(machine.resets, ['Nmi']);
    },
  },
};
