// The machine during an inspection, whoever processes what its ramdisk finds: recognised, booted, and left again.
import { Fault, fault, InspectionError, parseKernelParameters, reasonOf, type Task } from '#plugin-api';
import { bmcAddresses, bmcHosts, type Resolve } from './bmc-addresses.ts';
import { checkBoot, prepareRamdisk, start } from './ramdisk-boot.ts';

export const option = (task: Task, name: string): unknown => task.configuration['inspector']?.[name];

/**
 * Whether the daemon itself makes the machine boot its ramdisk, which needs a boot interface that can. Throws what is
 * wrong with the node's description for such a one, and UnsupportedDriverExtension when there must be one and is none.
 */
export async function managesBoot(task: Task): Promise<boolean> {
  try {
    await checkBoot(task);
    return true;
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'UnsupportedDriverExtension') throw error;
    if (option(task, 'require_managed_boot') !== true) return false;
    const refusal = {
      driver: task.node.driver,
      extension: `managed boot for inspection of node ${task.node.uuid}, which [inspector] require_managed_boot demands; choose a boot_interface that boots ramdisks, or set it to false to let another server boot the ramdisk`,
    };
    throw fault('UnsupportedDriverExtension', refusal, { cause: error });
  }
}

/** Runs `begin` and whatever comes before every inspection. Throws an InspectionError that says why it cannot be started. */
export async function startInspection(task: Task, begin: () => Promise<void>): Promise<'inspect wait'> {
  try {
    if (option(task, 'pre_create_ports') === true) await preCreatePorts(task);
    await begin();
    return 'inspect wait';
  } catch (error) {
    throw new InspectionError(`unable to start inspection: ${reasonOf(error)}`, { cause: error });
  }
}

async function preCreatePorts(task: Task): Promise<void> {
  const addresses = await task.driver.management.getMacAddresses?.(task);
  if (addresses !== undefined) task.addPorts(addresses);
}

/** Records how the machine is recognised by its BMC and who boots it, in place of what an earlier inspection left. */
export async function recordInspection(task: Task, isManaged: boolean, resolve: Resolve): Promise<void> {
  const addresses = await bmcAddresses(bmcHosts(task.node.driver_info), resolve, (message) =>
    task.log.warn({}, message),
  );
  task.update({
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

/** Through the boot interface; the ramdisk reports to `callbackUrl`. */
export async function bootRamdisk(task: Task, callbackUrl: string): Promise<void> {
  await prepareRamdisk(task, {
    ...task.ramdiskParameters,
    ...parseKernelParameters(String(option(task, 'extra_kernel_params'))),
    'ipa-inspection-callback-url': callbackUrl,
  });
  await start(task);
}

/** The URL of a resource of version 1 of an API; `root` may name the version already. */
export function versionOne(root: string, resource: string): string {
  let base = root;
  while (base.endsWith('/')) base = base.slice(0, -1);
  return `${base.endsWith('/v1') ? base : `${base}/v1`}/${resource}`;
}

/**
 * Nothing identifies the machine by its BMC any more, and the ramdisk is not booted again. `work` is done besides; one
 * part that fails keeps no other from being tried. Throws what failed.
 */
export async function leaveInspection(
  task: Task,
  ...work: readonly (() => Promise<unknown>)[]
): Promise<void> {
  const isManaged = isBootManaged(task);
  const rest = withoutInspection(task);
  if (Object.keys(rest).length < Object.keys(task.node.driver_internal_info).length)
    task.update({ driver_internal_info: rest });
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

/** Unless the ramdisk is to stay for what comes next, or the machine is to be left as it is. */
export async function powerOff(task: Task): Promise<void> {
  if (option(task, 'power_off') !== true || task.keepsRamdisk) return;
  await task.setPower(task.node.disable_power_off ? 'rebooting' : 'power off');
}
