// Decides how a machine moves: which steps, with which fields, and what would stop it.
import type { Json } from '../../../model/json.ts';
import { type InterfaceField, interfaceFields } from '../../../model/machine/interface-types.ts';
import { type NodeChanges, nodeFields } from '../../../model/records/node.ts';
import {
  classOf,
  isProvisionState,
  isStable,
  next,
  permissionIn,
  type ProvisionState,
} from '../../../model/states/provision-states.ts';
import { tooNew } from './carried-fields.ts';
import type { MovedMachine } from './machine.ts';

/**
 * `parts`: traits, port groups, ports and volumes; `settle`: the allocation, the capability secure_boot, and the fields that are
 * set last.
 */
export type MoveStep =
  | 'set aside'
  | 'create'
  | 'parts'
  | 'manage'
  | 'instance'
  | 'adopt'
  | 'settle'
  | 'provide'
  | 'hand over';

/**
 * The state that the node reaches in the receiving service. `failed`: manageable, and in maintenance; `unknown`: only enrolled.
 */
type Arrival = 'in use' | 'available' | 'idle' | 'failed' | 'unknown';

/** What the receiving service offers. */
export interface Offer {
  readonly minor: number;
  /** The names of the enabled interfaces, by hardware type and field. A field is absent if its interfaces are unknown. */
  readonly drivers: ReadonlyMap<string, Readonly<Partial<Record<InterfaceField, readonly string[]>>>>;
}

export type MovePlan =
  | {
      readonly kind: 'move';
      /** The machine as the receiving service is to have it. */
      readonly machine: MovedMachine;
      readonly arrival: Arrival;
      /**
       * The steps that can be undone. During these steps the machine is in maintenance in the receiving service, and the source
       * does not act on it.
       */
      readonly prepare: readonly MoveStep[];
      /** The steps after which the receiving service acts on the machine. */
      readonly finish: readonly MoveStep[];
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'refuse'; readonly reason: string };

export function planMove(machine: MovedMachine, offer: Offer): MovePlan {
  const { node } = machine;
  const arrival = arrivalOf(node.provision_state);
  if (arrival === undefined)
    return refuse(
      `it is in state "${node.provision_state}": wait for its work to end, or end it (abort, undeploy or unrescue)`,
    );
  const driver = driverThere(node.driver, offer);
  if (driver === undefined)
    return refuse(`the receiving service has no hardware type ${node.driver}: enable it there`);
  const { kept, warnings } = interfacesThere(machine, driver, offer);
  const late = tooNew(node, offer.minor).map(
    (field) => `${field} is not moved: the receiving service knows the API only up to 1.${offer.minor}`,
  );
  const renamed = driver === node.driver ? [] : [`hardware type ${driver} in place of ${node.driver}`];
  return {
    kind: 'move',
    machine: { ...machine, node: { ...node, driver, ...kept } },
    arrival,
    ...stepsFor(arrival),
    warnings: [...renamed, ...warnings, ...late],
  };
}

/** Undefined if work is under way in this state, or if somebody must first decide what becomes of a node in this state. */
function arrivalOf(state: string): Arrival | undefined {
  // a newer Ironic may have states that this program does not know
  if (!isProvisionState(state)) return undefined;
  if (permissionIn(state, 'inUse') === true) return 'in use';
  if (permissionIn(state, 'allocate') === true) return 'available';
  return isStable(state) ? idleArrival(state) : failedArrival(state);
}

const idleArrival = (state: ProvisionState): Arrival | undefined => {
  if (next(state, 'adopt') !== undefined) return 'idle';
  return next(state, 'manage') === undefined ? undefined : 'unknown';
};

const failedArrival = (state: ProvisionState): Arrival | undefined =>
  classOf(state) === 'failed' && next(state, 'manage') !== undefined ? 'failed' : undefined;

function stepsFor(arrival: Arrival): {
  readonly prepare: readonly MoveStep[];
  readonly finish: readonly MoveStep[];
} {
  const isKnown = arrival !== 'unknown';
  return {
    prepare: [
      'set aside',
      'create',
      'parts',
      ...(isKnown ? (['manage'] as const) : []),
      'instance',
      ...(arrival === 'in use' ? (['adopt'] as const) : []),
      'settle',
    ],
    finish: [...(arrival === 'available' ? (['provide'] as const) : []), 'hand over'],
  };
}

/** For a hardware type that a service may lack, another type that drives the same BMCs with the same driver_info. */
const substitutes: Readonly<Record<string, string>> = { 'intel-ipmi': 'ipmi', idrac: 'redfish' };

function driverThere(driver: string, { drivers }: Offer): string | undefined {
  if (drivers.has(driver)) return driver;
  const substitute = Object.hasOwn(substitutes, driver) ? substitutes[driver] : undefined;
  return substitute !== undefined && drivers.has(substitute) ? substitute : undefined;
}

/** Interfaces that the receiving service does not offer are replaced by its defaults. */
function interfacesThere({ node }: MovedMachine, driver: string, { drivers, minor }: Offer) {
  const offered = drivers.get(driver) ?? {};
  const dropped = interfaceFields.filter((field) => {
    const [name, names] = [node[field], offered[field]];
    return name !== null && nodeFields[field].since <= minor && names !== undefined && !names.includes(name);
  });
  const kept: NodeChanges = Object.fromEntries(dropped.map((field) => [field, null as Json]));
  const warnings = dropped.map(
    (field) => `${field} becomes the default: ${node[field]} is not enabled there`,
  );
  return { kept, warnings };
}

const refuse = (reason: string): MovePlan => ({ kind: 'refuse', reason });
