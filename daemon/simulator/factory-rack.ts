// A rack of simulated machines as they come from the factory: no daemon knows them, and each BMC has a password of its own.
import { randomInt } from 'node:crypto';
import { selfSigned } from './certificate.ts';
import { machineName } from './rack.ts';
import {
  plugInRedfish,
  type RedfishRackMachine,
  type RedfishRackSettings,
  shapeInTurn,
} from './redfish-rack.ts';
import type { DhcpIdentity } from './dhcp-relay.ts';
import type { FakeRedfish } from './redfish/fake-redfish.ts';
import { macOfCard, serialNumberOf } from './redfish/machine.ts';
import { type ShapeName, shapeOf } from './redfish/shapes.ts';

const PORT = 443;
const USERNAME = 'root';
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
const LENGTH = 10;

export interface FactoryRackSettings extends Omit<RedfishRackSettings, 'shape'> {
  /** Returns the address of the BMC of a machine; the first machine has the number 1. */
  readonly addressOf: (number: number, bmc: DhcpIdentity) => string | Promise<string>;
  /** The port of the BMCs; not set: 443. */
  readonly port?: number;
}

export interface FactoryMachine extends Omit<RedfishRackMachine, 'node'> {
  readonly fake: FakeRedfish;
}

/** Resolves when the BMCs serve. Rejects, and none serves, if a BMC gets no address, or if an address or the port cannot be used. */
export async function plugInFactoryRack(settings: FactoryRackSettings): Promise<readonly FactoryMachine[]> {
  const rack: FactoryMachine[] = [];
  try {
    for (let number = 1; number <= settings.size; number += 1) rack.push(await plugIn(settings, number));
    return rack;
  } catch (error) {
    for (const { machine } of rack) machine.unplug();
    throw error;
  }
}

async function plugIn(settings: FactoryRackSettings, number: number): Promise<FactoryMachine> {
  const name = machineName('factory', number);
  const shape = shapeInTurn(number);
  const host = await settings.addressOf(number, dhcpIdentity(number, shape));
  const password = Array.from({ length: LENGTH }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('');
  const plugged = await plugInRedfish(settings, {
    name,
    number,
    shape,
    credentials: { username: USERNAME, password },
    certificate: selfSigned(host),
    host,
    port: settings.port ?? PORT,
  });
  return { name, ...plugged };
}

function dhcpIdentity(number: number, shape: ShapeName): DhcpIdentity {
  const { hostNamePrefix, vendorClass } = shapeOf(shape);
  const hostName = hostNamePrefix === null ? null : hostNamePrefix + serialNumberOf(number);
  return { mac: macOfCard(number, 0), hostName, vendorClass };
}

/**
 * Returns the list of the machines, as an operator completes that of a maker: CSV. With `withAddresses` it names the addresses of
 * the BMCs, which a daemon needs that has not given them.
 */
export function expectedMachines(
  rack: readonly FactoryMachine[],
  { withAddresses }: { readonly withAddresses: boolean },
): string {
  const rows = rack.map(({ name, fake: { address, machine, bmc } }) => ({
    name,
    serial_number: machine.serialNumber,
    bmc_mac: machine.mac(0),
    ...(withAddresses && { bmc_address: new URL(address).hostname }),
    bmc_username: bmc.sessions.credentials.username,
    bmc_password: bmc.sessions.credentials.password,
  }));
  return [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))].join('\n').concat('\n');
}
