// The CD images of ramdisks and instances, for the boot interfaces `redfish-virtual-media` and `redfish-https`.
import {
  type BootSystem,
  driverInfoText,
  driverInfoUrl,
  expectedBootMode,
  fault,
  type KernelParameters,
  type PropertySpec,
  ramdiskImageProperties,
  ramdiskImages,
  ramdiskParameters,
  ramdiskPurpose,
  type RamdiskPurpose,
  type Task,
  withAppendedParameters,
} from '#plugin-api';
import { bmcConnectionOf, connectionProperties } from '../bmc/connection.ts';
import { redfishOptions } from '../options.ts';

const iso = (what: string): PropertySpec => ({
  description: `URL of a CD image that holds the ${what}, in place of one that is made from kernel and ramdisk.`,
});

export const cdBootProperties: Readonly<Record<string, PropertySpec>> = {
  ...connectionProperties,
  ...ramdiskImageProperties,
  deploy_iso: iso('ramdisk with the agent'),
  rescue_iso: iso('rescue ramdisk'),
  kernel_append_params: {
    description:
      'Kernel parameters of booted systems in place of [redfish] kernel_append_params; %default% stands for that option.',
  },
  external_http_url: {
    description:
      'URL at which this BMC reaches the HTTP boot server, when the machines use another URL. Not set: [deploy] http_url, or else the address that [boot_http] listens on.',
  },
};

/** Throws a fault when the node or the configuration does not allow the daemon to serve a CD with the ramdisk. */
export async function validateCdBoot(
  task: Task,
  purpose: RamdiskPurpose = ramdiskPurpose(task),
): Promise<void> {
  bmcConnectionOf(task);
  if (task.boot.obstacle !== null) throw cdUnsupported(task, task.boot.obstacle);
  driverInfoUrl(task.node, 'external_http_url');
  await task.boot.check(ramdiskSystem(task, task.ramdisk.parameters, purpose), 'cd');
  expectedBootMode(task);
}

export const cdUnsupported = (task: Task, reason: string) =>
  fault('UnsupportedDriverExtension', {
    driver: task.node.driver,
    extension: `booting through boot interface ${task.node.boot_interface ?? ''}: ${reason}`,
  });

/** Serves the ramdisk's CD and returns the URL for the BMC. */
export const ramdiskCd = (task: Task, parameters: KernelParameters): Promise<string> =>
  served(task, ramdiskSystem(task, parameters), true);

/** Serves the CD of a system that is not on the machine's disk, and returns the URL for the BMC. */
export const systemCd = (task: Task, system: BootSystem): Promise<string> =>
  served(task, withAppendedParameters(task, system, usualParameters(task)), false);

/** Throws what `systemCd` would throw for the system, as far as that can be seen without a download. */
export const checkSystemCd = (task: Task, system: BootSystem): Promise<void> =>
  task.boot.check(withAppendedParameters(task, system, usualParameters(task)), 'cd');

async function served(task: Task, system: BootSystem, agentToken: boolean): Promise<string> {
  const { boot, node } = task;
  if (system.kind === 'volume') throw cdUnsupported(task, 'a CD boots no volume');
  const title = `${node.provision_state} ${node.name ?? node.uuid}`;
  return boot.serveCd({ ...system, title, agentToken });
}

/** Returns the ramdisk as a system to boot. Throws DriverInfoMissing when there are no images. */
function ramdiskSystem(
  task: Task,
  parameters: KernelParameters,
  purpose: RamdiskPurpose = ramdiskPurpose(task),
): BootSystem {
  const own = driverInfoText(task.node, purpose === 'rescue' ? 'rescue_iso' : 'deploy_iso', '');
  if (own !== '') return { kind: 'iso', iso: own };
  const [port, second] = task.ports.filter(({ pxe_enabled: enabled }) => enabled);
  return {
    kind: 'kernel',
    ...ramdiskImages(task, purpose),
    parameters: {
      ...ramdiskParameters(task, usualParameters(task)),
      ...(port !== undefined && second === undefined && { BOOTIF: port.address }),
      boot_method: 'vmedia',
      ...parameters,
    },
  };
}

const usualParameters = (task: Task): string => redfishOptions(task).kernel_append_params;

/** Call before the virtual drive changes: a running system must not lose the CD that it booted from. */
export async function powerOffForCd(task: Task): Promise<void> {
  if (task.node.disable_power_off) return;
  if ((await task.driver.power.getPowerState(task)) !== 'power off') await task.setPower('power off');
}
