// What the `agent` and `inspector` interfaces share: identifying, booting and releasing the machine of an inspection.
import {
  bmcHosts,
  Fault,
  fault,
  InspectionError,
  parseKernelParameters,
  reasonOf,
  type Task,
} from '#plugin-api';
import { bmcAddresses, type Resolve } from './bmc-addresses.ts';
import { inspectorOptions } from '../options.ts';
import { checkBoot, prepareRamdisk, start } from '../ramdisk-boot.ts';

/**
 * Returns whether the daemon itself boots the ramdisk, which it does if the node's boot interface can boot one. Throws
 * UnsupportedDriverExtension if it cannot although [inspector] require_managed_boot is true. Throws any other validation error of
 * the boot interface.
 */
export async function managesBoot(task: Task): Promise<boolean> {
  try {
    const { boot } = task.driver;
    if (boot.validateInspection === undefined) await checkBoot(task);
    else await boot.validateInspection(task);
    return true;
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'UnsupportedDriverExtension') throw error;
    if (!inspectorOptions(task).require_managed_boot) return false;
    const refusal = {
      driver: task.node.driver,
      extension: `managed boot for inspection of node ${task.node.uuid}, which [inspector] require_managed_boot requires; choose a boot_interface that boots ramdisks, or set the option to false to let another server boot the ramdisk`,
    };
    throw fault('UnsupportedDriverExtension', refusal, { cause: error });
  }
}

/** Creates ports if [inspector] pre_create_ports is true, then runs `begin`. Throws InspectionError when anything fails. */
export async function startInspection(task: Task, begin: () => Promise<void>): Promise<'inspect wait'> {
  try {
    if (inspectorOptions(task).pre_create_ports) await preCreatePorts(task);
    await begin();
    return 'inspect wait';
  } catch (error) {
    throw new InspectionError(`unable to start inspection: ${reasonOf(error)}`, { cause: error });
  }
}

async function preCreatePorts(task: Task): Promise<void> {
  const addresses = await task.driver.management.getMacAddresses?.(task);
  if (addresses !== undefined) await task.addPorts(addresses);
}

/**
 * Records the BMC addresses that identify the machine, and whether the daemon boots it. Replaces the record of an earlier
 * inspection.
 */
export async function recordInspection(task: Task, isManaged: boolean, resolve: Resolve): Promise<void> {
  const addresses = await bmcAddresses(bmcHosts(task.node.driver_info), resolve, (message) =>
    task.log.warn({}, message),
  );
  await task.update({
    driver_internal_info: {
      ...withoutInspection(task),
      inspector_manage_boot: isManaged,
      ...(addresses.length > 0 && { lookup_bmc_addresses: addresses }),
    },
  });
}

function withoutInspection({ node }: Task): Task['node']['driver_internal_info'] {
  const { lookup_bmc_addresses: _, inspector_manage_boot: __, ...rest } = node.driver_internal_info;
  return rest;
}

export const isBootManaged = ({ node }: Task): boolean =>
  node.driver_internal_info['inspector_manage_boot'] === true;

/** Boots the ramdisk through the boot interface. The ramdisk reports to `callbackUrl`. */
export async function bootRamdisk(task: Task, callbackUrl: string): Promise<void> {
  await prepareRamdisk(task, {
    ...task.ramdisk.parameters,
    ...parseKernelParameters(inspectorOptions(task).extra_kernel_params),
    'ipa-inspection-callback-url': callbackUrl,
  });
  await start(task);
}

/** Returns the URL of a resource in version 1 of an API; `root` may already end in the version. */
export function versionOne(root: string, resource: string): string {
  let base = root;
  while (base.endsWith('/')) base = base.slice(0, -1);
  return `${base.endsWith('/v1') ? base : `${base}/v1`}/${resource}`;
}

/**
 * Stops identifying the machine by its BMC address. Then, if the daemon boots the machine, removes the ramdisk from the machine's
 * boot configuration. Then runs each function in `work`. A failure of one action does not prevent the others; in the end an
 * InspectionError lists the failures.
 */
export async function leaveInspection(
  task: Task,
  ...work: readonly (() => Promise<unknown>)[]
): Promise<void> {
  const isManaged = isBootManaged(task);
  const rest = withoutInspection(task);
  if (Object.keys(rest).length < Object.keys(task.node.driver_internal_info).length)
    await task.update({ driver_internal_info: rest });
  const cleanUp = async () => isManaged && task.driver.boot.cleanUpRamdisk?.(task);
  const failures: string[] = [];
  for (const part of [cleanUp, ...work]) {
    await part().catch((error: unknown) => {
      task.signal.throwIfAborted();
      failures.push(reasonOf(error));
    });
  }
  if (failures.length > 0) throw new InspectionError(failures.join('; '));
}

/**
 * Powers the machine off, unless [inspector] power_off is false or the ramdisk is kept for the next operation. If the node has
 * disable_power_off, reboots the machine instead.
 */
export async function powerOffInspected(task: Task): Promise<void> {
  if (!inspectorOptions(task).power_off || task.ramdisk.staysRunning) return;
  await task.setPower(task.node.disable_power_off ? 'rebooting' : 'power off');
}
