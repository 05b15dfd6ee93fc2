// Asks the BMC of a node, with the login of the node, which machine it manages.
import { type MachineIdentity, machineUuidIn, serialNumberIn } from '../../model/machine/machine-identity.ts';
import type { Call } from '../tasks/services.ts';
import { onInterface } from './on-interface.ts';
import type { HardwareServices } from './services.ts';

const identify = onInterface('management', 'identify', 'identify', { lock: false });

/**
 * Returns what the BMC says of its machine, without placeholders and duplicates. Works in every state of the node, also in
 * `enroll`. Throws UnsupportedDriverExtension, or the fault of the BMC.
 */
export async function identifyMachine(call: Call<HardwareServices>, uuid: string): Promise<MachineIdentity> {
  const { serialNumbers, uuids, macs, product } = await identify(call, uuid);
  return {
    serialNumbers: [...new Set(serialNumbers.flatMap((text) => serialNumberIn(text) ?? []))],
    uuids: [...new Set(uuids.flatMap((text) => machineUuidIn(text) ?? []))],
    macs: [...new Set(macs)],
    product,
  };
}
