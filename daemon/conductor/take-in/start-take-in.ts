// Takes new machines in: when their BMC is found, when the list of expected machines changes, and when work on their nodes ends.
import type { StopLoop } from '../../lib/periodic.ts';
import type { Node } from '../../model/records/node.ts';
import type { FoundBmc } from '../../model/zero-touch/found-bmc.ts';
import { withBmcAddress } from '../../model/machine/bmc-hosts.ts';
import { updateNode } from '../records/node-records.ts';
import { advance } from './advance.ts';
import { waitsForLogin } from './recognise.ts';
import type { TakeInServices } from './services.ts';

/** Returns a function that ends it and resolves when the steps that run have ended. Does nothing without `[zero_touch] bmc_networks`. */
export function startTakeIn(services: TakeInServices): StopLoop {
  const { config, db, takeIn, transitions, foundBmcs, log } = services;
  if (config.zero_touch.bmc_networks.length === 0) return () => Promise.resolve();
  takeIn.open(config.zero_touch.max_machines, async (machine, retry) => {
    try {
      return await advance(services, machine, retry);
    } catch (error) {
      log.error({ error, bmc: machine }, 'a new machine could not be taken in');
      return 'ended';
    }
  });
  const followNode = ({ uuid }: Node) => {
    const bmc = db.foundBmcs.findBy('node_uuid', uuid);
    if (bmc !== undefined && bmc.stage !== 'available') takeIn.wake(bmc.uuid);
  };
  const followBmc = (bmc: FoundBmc) => {
    takeIn.wake(bmc.uuid);
    followAddress(services, bmc).catch((error: unknown) =>
      log.error({ node: bmc.node_uuid, error }, 'the node could not get the new address of its BMC'),
    );
  };
  const followClaim = (bmc: FoundBmc) => {
    if (waitsForLogin(services, bmc)) takeIn.wake(bmc.uuid);
  };
  transitions.stored.add(followNode);
  foundBmcs.changed.add(followBmc);
  foundBmcs.loginClaimed.add(followClaim);
  for (const uuid of db.foundBmcs.underWay()) takeIn.wake(uuid, true);
  foundBmcs.lookAt(db.expectedMachines.unseenAddresses());
  return async () => {
    transitions.stored.delete(followNode);
    foundBmcs.changed.delete(followBmc);
    foundBmcs.loginClaimed.delete(followClaim);
    await takeIn.close();
  };
}

/** Called when the list of expected machines has changed. */
export function expectationsChanged({ db, takeIn, foundBmcs }: TakeInServices): void {
  for (const uuid of db.foundBmcs.unmatched()) takeIn.wake(uuid);
  foundBmcs.lookAt(db.expectedMachines.unseenAddresses());
}

/** A BMC that has become a node got another address, at which it answers: the node follows it. */
async function followAddress(services: TakeInServices, bmc: FoundBmc): Promise<void> {
  const { node_uuid: uuid, address } = bmc;
  if (uuid === null || address === null) return;
  await updateNode({ services, caller: null }, uuid, {
    change: ({ driver_info: info }) => ({ driver_info: withBmcAddress(info, address) }),
    resetInterfaces: false,
    named: new Set(),
    refuseFrozen: false,
  });
}
