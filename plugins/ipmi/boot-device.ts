// Reads and sets the boot device. On BMCs that forget the boot device, sets it again before each power-on.
import { type BootDevice, type BootDeviceSetting, driverInfoFlag, fault, type Task } from '#plugin-api';
import { bootModeOf } from './boot-mode.ts';
import { ipmiOptions } from './options.ts';
import { ipmitool } from './ipmitool.ts';

export const bootDeviceProperties = {
  ipmi_disable_boot_timeout: {
    description:
      'Whether the BMC is asked to keep a boot device for longer than 60 seconds. Default: [ipmi] disable_boot_timeout.',
  },
  ipmi_force_boot_device: {
    description:
      'true: the persistent boot device is set again before each power on, for BMCs that forget it. Default false.',
  },
} as const;

/** The names of boot devices; ipmitool uses the same names. */
export const supportedBootDevices = ['pxe', 'disk', 'bios', 'safe', 'cdrom'] as const;

/** Throws DriverInfoInvalid when a flag in driver_info is neither true nor false. */
export function checkBootDeviceFlags(task: Task): void {
  keepsBootDevice(task);
  isForced(task);
}

const keepsBootDevice = (task: Task) =>
  driverInfoFlag(task.node, 'ipmi_disable_boot_timeout', ipmiOptions(task).disable_boot_timeout);
const isForced = (task: Task) => driverInfoFlag(task.node, 'ipmi_force_boot_device', false);

export async function setBootDevice(task: Task, device: BootDevice, persistent: boolean): Promise<void> {
  if (!isSupported(device)) {
    const reason = `${device} is not supported. Expected one of ${supportedBootDevices.join(', ')}.`;
    throw fault('InvalidParameter', { name: 'boot_device', reason });
  }
  const forced = isForced(task);
  await requestBootDevice(task, device, persistent && !forced);
  if (!forced) return;
  const { is_next_boot_persistent: _, ...rest } = task.node.driver_internal_info;
  const remembered = persistent ? { persistent_boot_device: device } : { is_next_boot_persistent: false };
  await task.update({ driver_internal_info: { ...rest, ...remembered } });
}

/** Sets a remembered boot device again; must be called before the machine is powered on. */
export async function restoreBootDevice(task: Task): Promise<void> {
  const { is_next_boot_persistent: isPersistent, ...rest } = task.node.driver_internal_info;
  const device = rest['persistent_boot_device'];
  if (!isForced(task) || !isSupported(device)) return;
  // a one-time boot device is already set
  if (isPersistent === false) await task.update({ driver_internal_info: rest });
  else await requestBootDevice(task, device, false);
}

export async function getBootDevice(task: Task): Promise<BootDeviceSetting> {
  const { is_next_boot_persistent: isPersistent, persistent_boot_device: device } =
    task.node.driver_internal_info;
  if (isForced(task) && isPersistent !== false && isSupported(device)) {
    return { boot_device: device, persistent: true };
  }
  const answer = await ipmitool(task, {
    operation: 'Reading the boot device',
    command: ['chassis', 'bootparam', 'get', '5'],
    confirmation: 'Boot Device Selector',
  });
  return parseBootDevice(answer);
}

type SupportedBootDevice = (typeof supportedBootDevices)[number];
const isSupported = (device: unknown): device is SupportedBootDevice =>
  (supportedBootDevices as readonly unknown[]).includes(device);

async function requestBootDevice(
  task: Task,
  device: SupportedBootDevice,
  persistent: boolean,
): Promise<void> {
  if (keepsBootDevice(task)) {
    await ipmitool(task, {
      operation:
        'Keeping the boot device for longer than 60 s (driver_info/ipmi_disable_boot_timeout=false skips this)',
      command: ['raw', '0x00', '0x08', '0x03', '0x08'],
      confirmation: '',
    });
  }
  await ipmitool(task, {
    operation: `Setting the boot device to ${device}`,
    command: bootDeviceCommand(device, { persistent, efi: bootModeOf(task.node) === 'uefi' }),
    confirmation: `Set Boot Device to ${device}`,
  });
}

export function bootDeviceCommand(
  device: SupportedBootDevice,
  { persistent, efi }: { readonly persistent: boolean; readonly efi: boolean },
): readonly string[] {
  const options = [...(persistent ? ['persistent'] : []), ...(efi ? ['efiboot'] : [])];
  const bootdev = ['chassis', 'bootdev', device];
  return options.length === 0 ? bootdev : [...bootdev, `options=${options.join(',')}`];
}

const selectors: Readonly<Record<string, SupportedBootDevice>> = {
  'Force PXE': 'pxe',
  'Force Boot from default Hard-Drive': 'disk',
  'Force Boot from default Hard-Drive, request Safe-Mode': 'safe',
  'Force Boot into BIOS Setup': 'bios',
  'Force Boot from CD/DVD': 'cdrom',
};

/** Parses the output of `chassis bootparam get 5`; nulls when no known device is set. */
export function parseBootDevice(text: string): BootDeviceSetting {
  const selector = /Boot Device Selector : (.*)/.exec(text)?.[1]?.trim() ?? '';
  const device = Object.hasOwn(selectors, selector) ? selectors[selector] : undefined;
  if (device === undefined) return { boot_device: null, persistent: null };
  return { boot_device: device, persistent: text.includes('Options apply to all future boots') };
}
