// What an operator decides about a found BMC: to accept its machine, or to let a machine that has stopped go on.
import { fault } from '../../model/faults.ts';
import type { ExpectedMachine } from '../../model/zero-touch/expected-machine.ts';
import type { FoundBmc } from '../../model/zero-touch/found-bmc.ts';
import type { TakeInServices } from './services.ts';

/** Returns by what the BMC of an accepted machine is recognised from now on. Throws FoundBmcDecided when it is a node already. */
export function recognisedAs(bmc: FoundBmc): Pick<ExpectedMachine, 'bmc_mac' | 'bmc_address'> {
  refuseDecided(bmc);
  const { mac, address } = bmc;
  return mac === null ? { bmc_mac: null, bmc_address: address } : { bmc_mac: mac, bmc_address: null };
}

/** Tries again what has failed, or goes on where the machine waits. Throws FoundBmcDecided when there is nothing to go on with. */
export function continueMachine({ db, takeIn }: TakeInServices, bmc: FoundBmc): void {
  if (bmc.stage === 'available' || bmc.expected_uuid === null) refuseDecided(bmc);
  // the reason is gone at once, also while the machine waits for a place
  db.foundBmcs.update(bmc.uuid, { reason: null, continued_at: bmc.stage });
  takeIn.wake(bmc.uuid, true);
}

function refuseDecided({ address, node_uuid: node, stage }: FoundBmc): void {
  if (node !== null) throw fault('FoundBmcDecided', { address: address ?? 'unknown', node, stage });
}
