// A task on a node with a simulated BMC.
import type { JsonObject, Node } from '../../../daemon/plugin-api/index.ts';
import type { IpmiSim } from '../../../daemon/simulator/ipmi/ipmi-sim.ts';
import { fakeTask } from '../../fakes/task.ts';

/** The [ipmi] options with which ipmitool gives up soonest: after about four seconds. */
export const impatient = {
  command_retry_timeout: 1,
  min_command_interval: 1,
  disable_boot_timeout: true,
  cipher_suite_versions: [],
};

/** Cipher suite 3 is preset, because negotiating with ipmi_sim takes seconds. */
export function ipmiTask(
  sim: IpmiSim,
  driverInfo: JsonObject = {},
  { ipmi = {}, node = {} }: { readonly ipmi?: object; readonly node?: Partial<Node> } = {},
) {
  return fakeTask({
    node: { ...node, driver: 'ipmi', driver_info: { ...driverInfoOf(sim), ...driverInfo } },
    configuration: { ipmi: { ...impatient, ...ipmi } },
  });
}

function driverInfoOf({ address, port, username, password }: IpmiSim): JsonObject {
  return {
    ipmi_address: address,
    ipmi_port: port,
    ipmi_username: username,
    ipmi_password: password,
    ipmi_cipher_suite: '3',
  };
}
