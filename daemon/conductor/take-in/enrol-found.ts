// Makes a node of a found BMC, if the BMC takes the login of the expected machine and says that it belongs to this machine.
import { hostInUrl } from '../../lib/network/ip.ts';
import { Fault } from '../../model/faults.ts';
import type { JsonObject } from '../../model/json.ts';
import type { ExpectedMachine } from '../../model/zero-touch/expected-machine.ts';
import type { FoundBmc } from '../../model/zero-touch/found-bmc.ts';
import { identifyMachine } from '../hardware/identify-machine.ts';
import { createNode } from '../records/node-records.ts';
import { type FactoryLogin, factoryLogin, tryingOnce } from './factory-login.ts';
import { recognise } from './recognise.ts';
import { Stopped } from './stopped.ts';
import type { TakeInServices } from './services.ts';
import { refuseOtherMachine, refuseSecondNode, refuseUnconfirmed } from './which-machine.ts';

/** Creates the node and stores which machine the BMC belongs to. Throws Stopped, or the fault of the BMC; then there is no node. */
export async function enrolFound(services: TakeInServices, bmc: FoundBmc): Promise<void> {
  const { db } = services;
  // the daemon ended while the machine was being identified
  if (bmc.stage === 'seen' && bmc.node_uuid !== null) withdraw(services, bmc.node_uuid);
  const address = answeringAddress(bmc);
  const recognised = recognise(services, { ...bmc, address });
  const { expected, claim } = recognised;
  refuseTakenIn(services, bmc, expected);
  const login = factoryLogin(services, address, recognised);
  const node = db.transaction(() => {
    const created = createNode(services, nodeFor(services, expected, { ...bmc, address, login }));
    const reset = {
      stage: 'seen',
      reason: null,
      continued_at: null,
      runbook: null,
      runbooks_done: [],
    } as const;
    db.foundBmcs.update(bmc.uuid, { ...reset, node_uuid: created.uuid, expected_uuid: expected.uuid });
    return created.uuid;
  });
  const use = async () => {
    const identity = await identifyMachine({ services, caller: null }, node);
    refuseOtherMachine(expected, identity);
    if (claim !== undefined && recognised.byClaim) refuseUnconfirmed(claim, identity);
    refuseSecondNode(services, node, identity);
    db.foundBmcs.update(bmc.uuid, {
      serial_number: identity.serialNumbers[0] ?? null,
      system_uuid: identity.uuids[0] ?? null,
      macs: identity.macs,
    });
  };
  try {
    await tryingOnce(services, address, { login, use });
  } catch (error) {
    withdraw(services, node);
    // somebody else's claim may be the true one
    if (claim !== undefined && recognise(services, { ...bmc, address }).claim?.sender !== claim.sender)
      services.takeIn.wake(bmc.uuid);
    // the sentence of the fault names the node, which is gone
    const { reason } = error instanceof Fault ? error.parameters : {};
    throw reason === undefined ? error : new Stopped(`its BMC did not say which machine it is: ${reason}`);
  }
}

function answeringAddress({ address, protocols }: FoundBmc): string {
  if (address === null)
    throw new Stopped('another BMC has got its address, and it was not seen elsewhere: scan again');
  if (protocols.length > 0) return address;
  throw new Stopped('it does not answer, neither over Redfish nor over IPMI: scan again');
}

/** Throws Stopped when the expected machine is a node already. */
function refuseTakenIn(
  { db }: TakeInServices,
  { uuid }: FoundBmc,
  { uuid: expected }: ExpectedMachine,
): void {
  const other = db.foundBmcs
    .where({ sql: 'expected_uuid = ? AND node_uuid IS NOT NULL AND uuid <> ?', values: [expected, uuid] })
    .at(0);
  if (other === undefined) return;
  throw new Stopped(
    `the expected machine is node ${other.node_uuid} already, whose BMC has the address ${other.address ?? 'that another BMC has now'}: correct the list, or delete the node`,
  );
}

function nodeFor(
  { config, registry }: TakeInServices,
  expected: ExpectedMachine,
  bmc: Pick<FoundBmc, 'protocols'> & { readonly address: string; readonly login: FactoryLogin },
): Parameters<typeof createNode>[1] {
  const { name, resource_class, owner, traits, rack, unit } = expected;
  const driver = expected.driver ?? (bmc.protocols.includes('redfish') ? 'redfish' : 'ipmi');
  if (!registry.hardwareTypes.has(driver))
    throw new Stopped(
      `it needs hardware type ${driver}, which [DEFAULT] enabled_hardware_types does not name`,
    );
  const extra = { ...(rack !== null && { rack }), ...(unit !== null && { unit }) };
  const common = { name, resource_class, owner, traits, extra, driver };
  const driver_info =
    driver === 'ipmi'
      ? ipmiInfo(bmc)
      : { ...redfishInfo(bmc), redfish_verify_ca: config.zero_touch.verify_ca };
  return { ...common, driver_info };
}

interface Reached {
  readonly address: string;
  readonly login: FactoryLogin;
}

const ipmiInfo = ({ address, login }: Reached): JsonObject => ({
  ipmi_address: address,
  ipmi_username: login.username,
  ipmi_password: login.password,
});

const redfishInfo = ({ address, login }: Reached): JsonObject => ({
  redfish_address: `https://${hostInUrl(address)}`,
  redfish_username: login.username,
  redfish_password: login.password,
});

/** Nothing but the node itself exists yet, and no work has run on it. */
function withdraw({ db, networkBoots }: TakeInServices, uuid: string): void {
  db.nodes.remove(uuid);
  networkBoots.clear(uuid);
}
