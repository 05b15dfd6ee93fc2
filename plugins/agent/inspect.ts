// The `agent` inspect interface: starts the machine from the network once and waits for its ramdisk to report. What
// boots there is not this daemon's doing: the ramdisk must know from its own server where to report.
import {
  defineInspect,
  fault,
  InspectionError,
  type InspectInterface,
  reasonOf,
  type Task,
} from '#plugin-api';
import { bmcAddresses, bmcHosts, type Resolve, resolveHost } from './bmc-addresses.ts';

export function createAgentInspect(resolve: Resolve): InspectInterface {
  return defineInspect({
    properties: {},
    async validate(task) {
      if (option(task, 'require_managed_boot')) {
        throw fault('UnsupportedDriverExtension', {
          driver: task.node.driver,
          extension: `managed boot for inspection of node ${task.node.uuid}, which [inspector] require_managed_boot demands; set it to false to let another server boot the ramdisk`,
        });
      }
      await task.driver.management.validate(task);
    },
    async inspectHardware(task) {
      try {
        if (option(task, 'pre_create_ports')) await preCreatePorts(task);
        recordBmcAddresses(
          task,
          await bmcAddresses(bmcHosts(task.node.driver_info), resolve, (message) =>
            task.log.warn({}, message),
          ),
        );
        await bootFromNetwork(task);
      } catch (error) {
        recordBmcAddresses(task, []);
        throw new InspectionError(`unable to start inspection: ${reasonOf(error)}`, { cause: error });
      }
      return 'inspect wait';
    },
    abort: end,
    finish: end,
  });
}

export const agentInspect = createAgentInspect(resolveHost);

const option = (task: Task, name: 'power_off' | 'pre_create_ports' | 'require_managed_boot') =>
  task.configuration['inspector']?.[name] === true;

async function preCreatePorts(task: Task): Promise<void> {
  const addresses = await task.driver.management.getMacAddresses?.(task);
  if (addresses !== undefined) task.addPorts(addresses);
}

/** Replaces what an earlier inspection left; no addresses remove the key. */
function recordBmcAddresses(task: Task, addresses: readonly string[]): void {
  const { lookup_bmc_addresses: earlier, ...rest } = task.node.driver_internal_info;
  if (earlier === undefined && addresses.length === 0) return;
  task.update({
    driver_internal_info: addresses.length > 0 ? { ...rest, lookup_bmc_addresses: addresses } : rest,
  });
}

async function bootFromNetwork(task: Task): Promise<void> {
  const stays = task.node.disable_power_off;
  if (!stays) await task.setPower('power off');
  await task.driver.management.setBootDevice(task, 'pxe', false);
  await task.setPower(stays ? 'rebooting' : 'power on');
}

/** Nothing identifies the machine by its BMC any more, and the ramdisk does not go on running. */
async function end(task: Task): Promise<void> {
  recordBmcAddresses(task, []);
  if (option(task, 'power_off')) await task.setPower(task.node.disable_power_off ? 'rebooting' : 'power off');
}
