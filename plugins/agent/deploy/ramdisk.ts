// The deploy interface `ramdisk`, for an instance that is not on a disk: at every boot, the machine loads the instance through
// the boot interface, as kernel and ramdisk or as a CD image.
import {
  type BootSystem,
  defineDeploy,
  expectedBootMode,
  fault,
  type Json,
  type KernelParameters,
  parseKernelParameters,
  type Task,
} from '#plugin-api';
import { prepareInstance, start, stop } from '../ramdisk-boot.ts';
import { disableSecureBoot } from '../secure-boot.ts';
import { throughRamdisk } from './through-ramdisk.ts';
import { wrongInstanceInfo } from '../wrong-instance-info.ts';

export const ramdiskDeploy = defineDeploy({
  ...throughRamdisk,
  async validate(task) {
    const system = systemOf(task);
    await task.driver.boot.validate(task);
    refuseOtherBoot(task, system);
    await task.driver.boot.checkSystem?.(task, system);
    expectedBootMode(task);
    if (task.node.instance_info['configdrive'] !== undefined)
      task.log.warn({}, 'the config drive is ignored: an instance without a disk has no place for it');
  },
  prepare: stop,
  instanceSystem: async (task) => systemOf(task),
  steps: {
    deploy: {
      description: 'Boots the instance through the boot interface.',
      priorities: { deploy: 100 },
      requiresRamdisk: false,
      async run(task) {
        await prepareInstance(task);
        await start(task);
        return 'done';
      },
    },
  },
  cleanUp: async (task) => task.driver.boot.cleanUpInstance?.(task),
  async tearDown(task) {
    await stop(task);
    await task.driver.boot.cleanUpInstance?.(task);
    await disableSecureBoot(task);
  },
});

/**
 * Returns the CD image in `boot_iso`, or else kernel and ramdisk. Throws InvalidParameter when neither is given, when both
 * `image_source` and `boot_iso` are set, and for wrong kernel arguments.
 */
function systemOf({ node: { instance_info: instance } }: Task): BootSystem {
  const { boot_iso: iso, kernel, ramdisk, image_source: image } = instance;
  if (isText(iso)) {
    if (isText(image)) throw wrongInstanceInfo('boot_iso', 'image_source is set too; keep one of them');
    return { kind: 'iso', iso };
  }
  if (!isText(kernel) || !isText(ramdisk))
    throw wrongInstanceInfo(
      isText(kernel) ? 'ramdisk' : 'kernel',
      'it is missing; deploy interface ramdisk boots kernel and ramdisk, or the CD image in boot_iso, of instance_info',
    );
  return {
    kind: 'kernel',
    kernel,
    ramdisk,
    parameters: argumentsOf(instance['ramdisk_kernel_arguments'] ?? ''),
  };
}

const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== '';

function argumentsOf(given: Json): KernelParameters {
  const parsed =
    typeof given === 'string' && !/\p{Cc}/u.test(given) ? parseKernelParameters(given) : undefined;
  if (parsed === undefined)
    throw wrongInstanceInfo(
      'ramdisk_kernel_arguments',
      `${JSON.stringify(given)}; expected words such as NAME or NAME=VALUE`,
    );
  return { root: '/dev/ram0', text: null, ...parsed };
}

function refuseOtherBoot({ node, driver: { boot } }: Task, { kind }: BootSystem): void {
  if (boot.systems?.includes(kind)) return;
  const what = kind === 'iso' ? 'CD images (boot_iso)' : 'instances without a disk';
  throw fault('UnsupportedDriverExtension', {
    driver: node.driver,
    extension: `booting ${what} through boot interface ${node.boot_interface ?? ''}; choose another, such as ipxe, http-ipxe or redfish-virtual-media`,
  });
}
