// Decides what an import does with each machine of an inventory, given the drivers, nodes and ports that the daemon already has.
import { type JsonObject, isJsonObject, type Json } from '../../../model/json.ts';
import { isSecretKey } from '../../../model/secrets.ts';
import type { InventoryMachine, RefusedHost } from './machine-of-host.ts';

/** What the daemon has already. */
export interface Known {
  readonly drivers: ReadonlySet<string>;
  readonly byUuid: ReadonlyMap<string, JsonObject>;
  readonly byName: ReadonlyMap<string, JsonObject>;
  /** The node that each MAC address belongs to. */
  readonly owners: ReadonlyMap<string, string>;
}

export type EnrolmentDecision =
  | { readonly kind: 'enrol'; readonly machine: InventoryMachine }
  /** The node exists already; `missing`: the ports that it lacks, possibly none. */
  | {
      readonly kind: 'keep';
      readonly machine: InventoryMachine;
      readonly uuid: string;
      readonly missing: InventoryMachine['ports'];
      /** Fields whose values differ from those of the inventory; the import does not change them. */
      readonly differing: readonly string[];
    }
  | RefusedHost;

/**
 * Returns one decision for each of `found`, in order. A machine with the name, UUID or MAC address of an earlier machine is
 * refused.
 */
export function decideEnrolments(
  found: readonly (InventoryMachine | RefusedHost)[],
  known: Known,
): readonly EnrolmentDecision[] {
  const taken = new Map<string, string>();
  return found.map((machine) => {
    if (machine.kind === 'refuse') return machine;
    const claims = [machine.name, textOf(machine.node['uuid']), ...machine.ports.map((port) => port.address)];
    const repeated = claims.find((claim) => taken.has(claim));
    if (repeated !== undefined)
      return refuse(machine, `${repeated} belongs to ${taken.get(repeated)} in the same inventory`);
    for (const claim of claims) if (claim !== '') taken.set(claim, machine.name);
    return decide(machine, known);
  });
}

function decide(machine: InventoryMachine, { drivers, byUuid, byName, owners }: Known): EnrolmentDecision {
  const { driver, uuid } = machine.node;
  if (!drivers.has(textOf(driver)))
    return refuse(
      machine,
      `no driver ${textOf(driver)} is enabled here: add it to [DEFAULT] enabled_hardware_types, or change the inventory`,
    );
  const named = byName.get(machine.name);
  const same = uuid === undefined ? named : byUuid.get(textOf(uuid));
  if (named !== undefined && named !== same)
    return refuse(machine, `node ${textOf(named['uuid'])} has the name ${machine.name}`);
  const known = textOf(same?.['uuid']);
  const foreign = machine.ports.find(({ address }) => (owners.get(address) ?? known) !== known);
  if (foreign !== undefined)
    return refuse(machine, `node ${owners.get(foreign.address)} has the network card ${foreign.address}`);
  if (same === undefined) return { kind: 'enrol', machine };
  const missing = machine.ports.filter(({ address }) => !owners.has(address));
  return { kind: 'keep', machine, uuid: known, missing, differing: differing(machine.node, same) };
}

/** The names of the fields that differ, without secrets, because the API masks secrets. */
const differing = (wanted: JsonObject, found: JsonObject): readonly string[] =>
  Object.entries(wanted).flatMap(([field, value]) => {
    const there = found[field];
    if (!isJsonObject(value)) return value === there ? [] : [field];
    return Object.entries(value).flatMap(([key, inner]) =>
      isSecretKey(key) || JSON.stringify(inner) === JSON.stringify(isJsonObject(there) ? there[key] : null)
        ? []
        : [`${field}/${key}`],
    );
  });

const refuse = ({ name }: InventoryMachine, reason: string): RefusedHost => ({
  kind: 'refuse',
  name,
  reason,
});
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
