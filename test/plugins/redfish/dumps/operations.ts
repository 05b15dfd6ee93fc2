// What the driver does with a BMC, each operation as a cell of the table in redfish.md.
import { reasonOf, type Step, type Task } from '../../../../daemon/plugin-api/index.ts';
import { redfishBios } from '../../../../plugins/redfish/bios/bios.ts';
import { redfishFirmware } from '../../../../plugins/redfish/firmware/firmware.ts';
import { redfishInspect } from '../../../../plugins/redfish/inspect/inspect.ts';
import type { Inventory } from '../../../../plugins/redfish/inspect/inventory.ts';
import { redfishManagement } from '../../../../plugins/redfish/management/management.ts';
import { redfishPower } from '../../../../plugins/redfish/power/power.ts';
import type { Dump } from '../../../fakes/machines/dumped-bmc.ts';
import { OPERATORS_MAC } from './dump-lab.ts';
import { ownSensors } from './own-sensors.ts';

type Operation = (task: Task, dump: Dump) => Promise<string>;

const { steps = {} } = redfishManagement;

const run = (step: Step | undefined, task: Task) => step?.run(task, {});

/** Throws unless the machine is then in this state. */
async function reached(task: Task, target: 'power on' | 'power off' | 'rebooting'): Promise<void> {
  await redfishPower.setPowerState(task, target, 60);
  const state = await redfishPower.getPowerState(task);
  if (state !== (target === 'power off' ? 'power off' : 'power on'))
    throw new Error(`${target}: it is ${state}`);
}

export const operations: Readonly<Record<string, Operation>> = {
  async manage(task) {
    await redfishPower.getPowerState(task);
    await run(steps['verify_bmc_clock'], task);
    await run(steps['record_vendor'], task);
    await redfishPower.readCondition?.(task);
    return 'yes';
  },
  async power(task) {
    await reached(task, 'power off');
    await reached(task, 'power on');
    await reached(task, 'rebooting');
    return 'off, on, reboot';
  },
  async 'boot device'(task) {
    const taken: string[] = [];
    for (const device of await redfishManagement.supportedBootDevices(task)) {
      try {
        await redfishManagement.setBootDevice(task, device, false);
      } catch (error) {
        if (reasonOf(error).includes('is not possible')) continue;
        throw error;
      }
      const { boot_device: read } = await redfishManagement.getBootDevice(task);
      if (read !== device) throw new Error(`${device} is read back as ${read}`);
      taken.push(device);
    }
    return taken.join(', ') || 'none';
  },
  async inspect(task) {
    const result = await redfishInspect.inspectHardware(task);
    const { cpu, memory, disks, interfaces } = (result as unknown as { inventory: Inventory }).inventory;
    const shown = interfaces.filter(({ mac_address: mac }) => mac !== OPERATORS_MAC);
    return [
      `${cpu.count} ${cpu.architecture ?? ''}`,
      `${memory.physical_mb ?? 0} MiB`,
      counted(disks.length, 'disk'),
      counted(shown.length, 'MAC'),
    ].join(', ');
  },
  async 'BIOS settings'(task) {
    const all = (await orNone(redfishBios.readSettings?.(task), 'BiosNotManaged')) ?? [];
    const described = all.filter(({ attribute_type: type }) => type !== undefined).length;
    return all.length === 0 ? 'none' : `${all.length}, ${described} described`;
  },
  async firmware(task) {
    const all = (await orNone(redfishFirmware.readComponents?.(task), 'FirmwareNotShown')) ?? [];
    const names = all.map(({ component }) => component);
    const cards = names.filter((name) => name.startsWith('nic:')).length;
    const others = names.filter((name) => !name.startsWith('nic:'));
    return [...others, ...(cards === 0 ? [] : [counted(cards, 'card')])].join(', ') || 'none';
  },
  async sensors(task, dump) {
    const read = (await redfishManagement.readSensors?.(task)) ?? [];
    return `${read.length} of ${ownSensors(dump)}`;
  },
  async 'virtual media'(task) {
    const taken: string[] = [];
    for (const device of ['cdrom', 'disk', 'floppy'] as const) {
      const image = `http://192.0.2.9/${device}.iso`;
      try {
        await redfishManagement.attachVirtualMedia?.(task, device, image);
      } catch (error) {
        if (reasonOf(error).includes('the BMC has no virtual')) continue;
        throw error;
      }
      const drives = (await redfishManagement.listVirtualMedia?.(task)) ?? [];
      if (!drives.some(({ image: inserted }) => inserted === image)) throw new Error(`${device} is empty`);
      await redfishManagement.detachVirtualMedia?.(task, [device]);
      taken.push(device);
    }
    return taken.join(', ') || 'none';
  },
};

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Resolves to undefined when the BMC says, by the fault `code`, that it has none. */
async function orNone<T>(found: Promise<T> | undefined, code: string): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if ((error as { code?: unknown }).code === code) return undefined;
    throw error;
  }
}
