// The boot interfaces `ipxe`, `pxe`, `http-ipxe` and `http`: the machine boots ramdisks, and instances without a disk, from
// the daemon's own servers.
import {
  type BootDevice,
  bootFromDisk,
  type BootProtocol,
  type BootSystem,
  defineBoot,
  driverInfoText,
  expectedBootMode,
  fault,
  type KernelParameters,
  optionsIn,
  type PropertySpec,
  ramdiskImageProperties,
  ramdiskImages,
  ramdiskParameters,
  ramdiskPurpose,
  type RamdiskPurpose,
  secureBootWanted,
  setExpectedBootMode,
  type Task,
  withAppendedParameters,
} from '#plugin-api';
import manifest from './plugin.json' with { type: 'json' };

const pxeOptions = optionsIn(manifest, 'pxe');

const usualParameters = (task: Task): string => pxeOptions(task).kernel_append_params;

const properties: Readonly<Record<string, PropertySpec>> = {
  ...ramdiskImageProperties,
  kernel_append_params: {
    description:
      'Kernel parameters of booted systems in place of [pxe] kernel_append_params; %default% stands for that option. instance_info/kernel_append_params takes precedence.',
  },
  force_persistent_boot_device: {
    description:
      'Whether the BMC keeps the boot device for every boot. The value Default means for the instance only, Always for ramdisks too, Never for neither. Not set: Default.',
  },
};

/** Returns the ramdisk as a system to boot. Throws DriverInfoMissing when there are no images. */
const ramdiskSystem = (
  task: Task,
  parameters: KernelParameters,
  purpose: RamdiskPurpose = ramdiskPurpose(task),
): BootSystem => ({
  kind: 'kernel',
  ...ramdiskImages(task, purpose),
  parameters: { ...ramdiskParameters(task, usualParameters(task)), ...parameters },
});

async function validate(task: Task, purpose: RamdiskPurpose = ramdiskPurpose(task)): Promise<void> {
  refuseObstacle(task);
  await task.boot.check(ramdiskSystem(task, task.ramdisk.parameters, purpose), 'network');
  expectedBootMode(task);
}

function networkBoot(protocol: BootProtocol) {
  return defineBoot({
    properties,
    validate: (task) => validate(task),
    validateRescue: (task) => validate(task, 'rescue'),
    async validateInspection(task) {
      refuseObstacle(task);
      if (task.ports.length === 0) throw unsupported(task, 'the node has no port yet');
      try {
        ramdiskImages(task);
      } catch (error) {
        throw unsupported(task, 'no ramdisk is configured for the node', { cause: error });
      }
      await validate(task);
    },
    async prepareRamdisk(task, parameters) {
      const system = ramdiskSystem(task, parameters);
      await bootFromNetwork(task, { protocol, system, everyBoot: persistence(task) === 'always' });
    },
    cleanUpRamdisk: (task) => task.boot.withdraw(),
    // GRUB and pxelinux cannot boot CD images and volumes
    systems: protocol.endsWith('ipxe') ? ['kernel', 'iso', 'volume'] : ['kernel'],
    servesFiles: true,
    async checkSystem(task, system) {
      if (system.kind === 'volume' && secureBootWanted(task.node))
        throw unsupported(
          task,
          'iPXE boots from a volume, and firmware with Secure Boot does not start iPXE',
        );
      await task.boot.check(withAppendedParameters(task, system, usualParameters(task)), 'network');
    },
    async bootSystem(task, given, everyBoot) {
      const system = withAppendedParameters(task, given, usualParameters(task));
      await bootFromNetwork(task, {
        protocol,
        system,
        everyBoot: everyBoot && persistence(task) !== 'never',
      });
    },
    async prepareInstance(task) {
      await task.boot.withdraw();
      await bootFromDisk(task);
    },
    cleanUpInstance: (task) => task.boot.withdraw(),
  });
}

interface Boot {
  readonly protocol: BootProtocol;
  readonly system: BootSystem;
  readonly everyBoot: boolean;
}

async function bootFromNetwork(task: Task, { protocol, system, everyBoot }: Boot): Promise<void> {
  await task.boot.serve({
    ...system,
    protocol,
    bootMode: expectedBootMode(task),
    title: `${task.node.provision_state} ${task.node.name ?? task.node.uuid}`,
  });
  await setExpectedBootMode(task);
  await bootNext(task, await networkDevice(task, protocol), everyBoot);
}

const unsupported = (task: Task, reason: string, options?: ErrorOptions) =>
  fault(
    'UnsupportedDriverExtension',
    {
      driver: task.node.driver,
      extension: `booting from the network through boot interface ${task.node.boot_interface ?? ''}: ${reason}`,
    },
    options,
  );

function refuseObstacle(task: Task): void {
  if (task.boot.obstacle !== null) throw unsupported(task, task.boot.obstacle);
}

const persistence = ({ node }: Task) =>
  driverInfoText(node, 'force_persistent_boot_device', 'Default').toLowerCase();

async function networkDevice(task: Task, protocol: BootProtocol): Promise<BootDevice> {
  if (!protocol.startsWith('http')) return 'pxe';
  const supported = await task.driver.management.supportedBootDevices(task);
  return supported.includes('uefihttp') ? 'uefihttp' : 'pxe';
}

const bootNext = (task: Task, device: BootDevice, isPersistent: boolean): Promise<void> =>
  task.driver.management.setBootDevice(task, device, isPersistent);

export const ipxeBoot = networkBoot('ipxe');
export const pxeBoot = networkBoot('pxe');
export const httpIpxeBoot = networkBoot('http-ipxe');
export const httpBoot = networkBoot('http');
