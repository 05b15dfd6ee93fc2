// Tries the BMC of a machine that is to be added: reads what the machine is and whether it is on. Stores nothing, changes nothing.
import { limitConcurrency } from '../../lib/limits/limit-concurrency.ts';
import { canonicalIp, hostInUrl } from '../../lib/network/ip.ts';
import { Fault, fault, reasonOf } from '../../model/faults.ts';
import type { JsonObject } from '../../model/json.ts';
import { bmcHosts } from '../../model/machine/bmc-hosts.ts';
import { serialNumberIn } from '../../model/machine/machine-identity.ts';
import { type Node, nodeFields } from '../../model/records/node.ts';
import type { PowerState } from '../../model/states/power-states.ts';
import { resolveInterfaces } from '../../plugin-host/compose.ts';
import { createBmcAsker } from '../finding/ask-bmc.ts';
import { nodesAt } from '../finding/nodes-at.ts';
import { draftRecord } from '../records/new-record.ts';
import { NodeTask } from '../tasks/task.ts';
import type { Call } from '../tasks/services.ts';
import { driverInfoOf, type TypedLogin } from './driver-info.ts';
import type { TakeInServices } from './services.ts';
import { refuseSecondNode } from './which-machine.ts';
import { Stopped } from './stopped.ts';

export interface BmcTest extends TypedLogin {
  readonly address: string;
  /** Null: whichever of redfish and ipmi the BMC speaks. */
  readonly driver: string | null;
}

export interface BmcTestResult {
  /** Null when nothing answered. */
  readonly driver: string | null;
  readonly power: PowerState | null;
  /** Maker and model. */
  readonly product: string | null;
  readonly serial_number: string | null;
  readonly system_uuid: string | null;
  readonly macs: readonly string[];
  /** What is wrong, in a sentence, or that the machine is a node already; null: the machine can be added. */
  readonly problem: string | null;
}

const NOTHING = {
  driver: null,
  power: null,
  product: null,
  serial_number: null,
  system_uuid: null,
  macs: [],
  problem: null,
} as const satisfies BmcTestResult;

/** How many BMCs are tested at once, for all visitors; further tests wait. */
const AT_ONCE = 8;
const MOST_SECONDS = 60;
const inPlace = limitConcurrency(AT_ONCE);

/** Throws InvalidParameter and DriverNotFound for what cannot be tried at all. Whatever the BMC does is told as a problem. */
export function testBmc(call: Call<TakeInServices>, test: BmcTest): Promise<BmcTestResult> {
  if (test.address.trim() === '')
    throw fault('InvalidParameter', {
      name: 'address',
      reason: 'it is missing: give the address of the BMC',
    });
  if (test.driver !== null) driverInfoOf(call.services, test.driver, test);
  return inPlace(() => withinTime(call.services, tried(call, test)));
}

async function tried(call: Call<TakeInServices>, test: BmcTest): Promise<BmcTestResult> {
  const { services } = call;
  const driver = test.driver ?? (await spokenDriver(services, test.address.trim()));
  if (driver instanceof Stopped) return { ...NOTHING, problem: driver.message };
  const info = driverInfoOf(services, driver, test);
  const known = { ...NOTHING, driver, problem: nodeWith(services, info) };
  return known.problem === null ? asked(call, known, draftNode(services, driver, info)) : known;
}

/** Returns the driver for what answers at the address, or why there is none. */
async function spokenDriver(
  { clock, stopping, registry }: TakeInServices,
  address: string,
): Promise<string | Stopped> {
  if (/^https?:\/\//i.test(address) && registry.hardwareTypes.has('redfish')) return 'redfish';
  const host = canonicalIp(address) ?? address;
  const url = URL.parse(`https://${hostInUrl(host)}`);
  if (url === null || url.href !== `https://${url.host}/`)
    throw fault('InvalidParameter', {
      name: 'address',
      reason: `${JSON.stringify(address.slice(0, 100))} is no IP address, no host name and no URL of a Redfish service; expected one, as in 10.0.9.12`,
    });
  const answer = await createBmcAsker({ clock, stopping })(host);
  if (answer === undefined)
    return new Stopped(
      `Nothing answers at ${address}, neither over Redfish (TCP port 443) nor over IPMI (UDP port 623). Check the address, the network, and whether the BMC allows Redfish or IPMI over LAN.`,
    );
  const driver = (['redfish', 'ipmi'] as const).find(
    (each) => answer.protocols.includes(each) && registry.hardwareTypes.has(each),
  );
  return (
    driver ??
    new Stopped(
      `The BMC speaks ${answer.protocols.join(' and ')}, and [DEFAULT] enabled_hardware_types names no hardware type for it: add ${answer.protocols[0]}.`,
    )
  );
}

function nodeWith({ db }: TakeInServices, info: JsonObject): string | null {
  const hosts = bmcHosts(info).map((host) => canonicalIp(host) ?? host);
  const [found] = nodesAt(db, hosts).keys();
  return found === undefined ? null : `The BMC at ${hosts.join(', ')} belongs to node ${found} already.`;
}

function draftNode(services: TakeInServices, driver: string, info: JsonObject): Node {
  const draft = draftRecord<Node>(nodeFields, { driver, driver_info: info });
  return { ...draft, ...resolveInterfaces(services.registry, driver, {}) };
}

async function asked(call: Call<TakeInServices>, known: BmcTestResult, node: Node): Promise<BmcTestResult> {
  const task = new NodeTask(call, node);
  try {
    const { power, management } = task.driver;
    await power.validate(task.view);
    const state = await power.getPowerState(task.view);
    const identity = (await management.identify?.(task.view)) ?? NO_IDENTITY;
    refuseSecondNode(call.services, node.uuid, identity);
    return {
      ...known,
      power: state,
      product: identity.product,
      serial_number: identity.serialNumbers.flatMap((text) => serialNumberIn(text) ?? [])[0] ?? null,
      system_uuid: identity.uuids[0] ?? null,
      macs: [...new Set(identity.macs)],
    };
  } catch (error) {
    return { ...known, problem: sentenceOf(error) };
  }
}

const NO_IDENTITY = { serialNumbers: [], uuids: [], macs: [], product: null } as const;

/** The sentences of faults name the node, which does not exist. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Fault) && !(error instanceof Stopped)) throw error;
  const { reason } = error instanceof Fault ? error.parameters : {};
  const text = typeof reason === 'string' ? reason : reasonOf(error);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

/** A BMC that takes longer is told as silent; what was sent to it ends by itself. */
function withinTime({ clock }: TakeInServices, work: Promise<BmcTestResult>): Promise<BmcTestResult> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(MOST_SECONDS * 1000, () =>
      resolve({
        ...NOTHING,
        problem: `The BMC has not answered all that it was asked within ${MOST_SECONDS} s.`,
      }),
    );
    work.then(resolve, reject).finally(cancel);
  });
}
