// Expected machines: what their records may say, and which of them a found BMC belongs to.
import type { ClaimedBmcLogin } from '../../db/tables/zero-touch/bmc-logins.ts';
import type { Recognisable } from '../../db/tables/zero-touch/expected-machines.ts';
import { canonicalIp, isInSubnet } from '../../lib/network/ip.ts';
import { parseStationMac } from '../../lib/network/mac.ts';
import { fault } from '../../model/faults.ts';
import { checkedTraits } from '../../model/traits.ts';
import { serialNumberIn } from '../../model/machine/machine-identity.ts';
import { type ExpectedMachine, recognisedBy } from '../../model/zero-touch/expected-machine.ts';
import type { FoundBmc } from '../../model/zero-touch/found-bmc.ts';
import { canonicalTraits } from '../records/node-field-rules.ts';
import { Stopped } from './stopped.ts';
import type { TakeInServices } from './services.ts';

const wrong = (name: string, value: unknown, expected: string) =>
  fault('InvalidParameter', { name, reason: `${JSON.stringify(value)}: expected ${expected}` });

/** Returns the fields in canonical form. Throws InvalidParameter for one that no machine can have. */
export function canonicalExpected(given: Partial<ExpectedMachine>): Partial<ExpectedMachine> {
  const { serial_number: serial, bmc_mac: mac, bmc_address: address, port_macs: ports, traits } = given;
  return {
    ...given,
    ...(serial != null && { serial_number: checkedSerial(serial) }),
    ...(mac != null && { bmc_mac: checkedMac('bmc_mac', mac) }),
    ...(ports !== undefined && {
      port_macs: [...new Set(ports.map((port) => checkedMac('port_macs', port)))],
    }),
    ...(address != null && { bmc_address: checkedAddress(address) }),
    ...(traits !== undefined && { traits: canonicalTraits(checkedTraits(traits)) }),
  };
}

function checkedSerial(given: string): string {
  const serial = serialNumberIn(given);
  if (serial === undefined)
    throw wrong('serial_number', given, 'the number on the tag of the machine; many machines have this text');
  return serial;
}

function checkedMac(name: string, given: string): string {
  // lists of vendors have AABBCC000001, AA-BB-CC-00-00-01 and aabb.cc00.0001 too
  const digits = given.replace(/[\s:.-]/g, '');
  const mac = parseStationMac(digits.replace(/(..)(?=.)/g, '$1:'));
  if (mac === undefined) throw wrong(name, given, 'the MAC address of a network card, as 52:54:00:12:34:56');
  return mac;
}

function checkedAddress(given: string): string {
  const address = canonicalIp(given);
  if (address === undefined) throw wrong('bmc_address', given, 'an IP address');
  return address;
}

/** Throws a fault for a record by which no machine can be recognised, or whose BMC the daemon may not ask. */
export function checkExpectedMachine(services: TakeInServices, machine: ExpectedMachine): void {
  const { config, registry } = services;
  if (recognisedBy.every((name) => (machine[name] ?? []).length === 0))
    throw fault('ExpectedMachineUnrecognisable', { fields: recognisedBy.join(', ') });
  const { bmc_address: address, bmc_username: username, bmc_password: password, driver } = machine;
  const { bmc_networks: networks } = config.zero_touch;
  if (address !== null && !networks.some((network) => isInSubnet(address, network)))
    throw wrong(
      'bmc_address',
      address,
      `an address in [zero_touch] bmc_networks (${networks.join(', ') || 'none'})`,
    );
  if ((username === null) !== (password === null))
    throw fault('InvalidParameter', {
      name: username === null ? 'bmc_username' : 'bmc_password',
      reason: 'the user and the password are given together, or none of them',
    });
  if (driver !== null && !registry.hardwareTypes.has(driver))
    throw wrong('driver', driver, `one of ${[...registry.hardwareTypes.keys()].join(', ')}`);
  refuseTwice(services, machine);
}

function refuseTwice(services: TakeInServices, machine: ExpectedMachine): void {
  const [other] = sameMachines(services, machine);
  if (other === undefined) return;
  const field = recognisedBy.find((name) => sharedOf(machine, other, name) !== undefined) ?? 'serial_number';
  const value = sharedOf(machine, other, field) ?? '';
  throw fault('ExpectedMachineTwice', { field, value, other: other.name ?? other.uuid });
}

/** Returns the other records that have one of the values by which `machine` is recognised. */
export const sameMachines = ({ db }: TakeInServices, machine: ExpectedMachine): readonly ExpectedMachine[] =>
  db.expectedMachines.like(machine).filter(({ uuid }) => uuid !== machine.uuid);

function sharedOf(
  one: ExpectedMachine,
  other: ExpectedMachine,
  name: (typeof recognisedBy)[number],
): string | undefined {
  const theirs = new Set([other[name] ?? []].flat());
  return [one[name] ?? []].flat().find((value) => theirs.has(value));
}

/**
 * Returns the expected machine that the BMC belongs to, as far as is known before the BMC was asked with a login; undefined if there
 * is none. Throws Stopped when what is known points to several.
 */
export const expectedFor = (services: TakeInServices, bmc: FoundBmc): ExpectedMachine | undefined =>
  theOnly(services, {
    serial_number: bmc.serial_number ?? serialInHostname(bmc.hostname),
    bmc_mac: bmc.mac,
    bmc_address: bmc.address,
    port_macs: bmc.macs,
  });

/** Returns the expected machine that a ramdisk says to run in; like `expectedFor`. */
export const expectedForClaim = (
  services: TakeInServices,
  { serial_number: serial, macs }: ClaimedBmcLogin,
): ExpectedMachine | undefined =>
  theOnly(services, {
    serial_number: serialNumberIn(serial ?? '') ?? null,
    bmc_mac: null,
    bmc_address: null,
    port_macs: macs,
  });

function theOnly({ db }: TakeInServices, seen: Recognisable): ExpectedMachine | undefined {
  const matches = db.expectedMachines.like(seen);
  if (matches.length > 1)
    throw new Stopped(
      `it could be several expected machines: ${matches.map(({ name, uuid }) => name ?? uuid).join(', ')}. Correct the list`,
    );
  return matches[0];
}

/** Many BMCs ask for an address with their serial number in their host name; the login shows whether it is true. */
const serialInHostname = (hostname: string | null): string | null =>
  /^(?:idrac-|ilo|xcc-[a-z0-9]{4}-)([a-z0-9]{5,20})$/i.exec(hostname ?? '')?.[1]?.toUpperCase() ?? null;
