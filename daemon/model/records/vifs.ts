// Pure functions that find the port or port group to which a VIF is or can be attached. The VIF's id is in the `internal_info` of
// the port or port group, under the same key as in Ironic.
import { fault } from '../faults.ts';
import type { JsonObject } from '../json.ts';
import type { Port } from './port.ts';
import type { Portgroup } from './portgroup.ts';

const KEY = 'tenant_vif_port_id';

type Place = Pick<Port, 'uuid' | 'internal_info'>;

export type VifPlace =
  | { readonly kind: 'port'; readonly at: Port }
  | { readonly kind: 'portgroup'; readonly at: Portgroup };

export interface VifPlaces {
  readonly node: string;
  readonly ports: readonly Port[];
  readonly portgroups: readonly Portgroup[];
}

export interface WantedVif {
  readonly id: string;
  /** If `port_uuid` or `portgroup_uuid` is given, the VIF may be attached only to that port or port group. */
  readonly port_uuid?: unknown;
  readonly portgroup_uuid?: unknown;
}

export function vifAt({ internal_info: info }: Place): string | undefined {
  const vif = info[KEY];
  return typeof vif === 'string' ? vif : undefined;
}

export const withVif = ({ internal_info: info }: Place, vif: string): JsonObject => ({ ...info, [KEY]: vif });

export const withoutVif = ({ internal_info: info }: Place): JsonObject =>
  Object.fromEntries(Object.entries(info).filter(([key]) => key !== KEY));

/** The ports and port groups that have a VIF. */
export const vifPlaces = (places: VifPlaces): readonly VifPlace[] =>
  allPlaces(places).filter(({ at }) => vifAt(at) !== undefined);

/** Returns the place of the VIF. Throws Invalid when the VIF is not attached. */
export function placeOfVif(places: VifPlaces, id: string): VifPlace {
  const place = allPlaces(places).find(({ at }) => vifAt(at) === id);
  if (place !== undefined) return place;
  throw fault('Invalid', { reason: `VIF ${id} is not attached to node ${places.node}.` });
}

/**
 * Returns the free place that the VIF gets: a port group before a port, a port with `pxe_enabled` before one without. Throws
 * InvalidState when the VIF is attached already, Invalid when no place is free that `wanted` allows.
 */
export function placeForVif(places: VifPlaces, wanted: WantedVif): VifPlace {
  const { id } = wanted;
  const present = allPlaces(places).find(({ at }) => vifAt(at) === id);
  if (present !== undefined)
    throw fault('InvalidState', {
      reason: `VIF ${id} is already attached to ${present.kind} ${present.at.uuid} of node ${places.node}.`,
    });
  const [best] = freePlaces(places)
    .filter((place) => isAllowed(place, wanted))
    .toSorted((one, other) => preference(other) - preference(one));
  if (best !== undefined) return best;
  throw fault('Invalid', {
    reason: `VIF ${id} cannot be attached to node ${places.node}: no port or port group is free${isNamed(wanted) ? ' that the request allows' : ''}.`,
  });
}

const allPlaces = ({ ports, portgroups }: VifPlaces): readonly VifPlace[] => [
  ...portgroups.map((at) => ({ kind: 'portgroup', at }) as const),
  ...ports.map((at) => ({ kind: 'port', at }) as const),
];

/** A port group with ports counts as one place. But if one of its ports has a VIF, its other ports count as places instead. */
function freePlaces(places: VifPlaces): readonly VifPlace[] {
  const { ports } = places;
  const members = (group: string | null) => ports.filter(({ portgroup_uuid: of }) => of === group);
  const isSplit = (group: string) => members(group).some((port) => vifAt(port) !== undefined);
  return allPlaces(places).filter((place) => {
    if (vifAt(place.at) !== undefined) return false;
    if (place.kind === 'portgroup') return members(place.at.uuid).length > 0 && !isSplit(place.at.uuid);
    const { portgroup_uuid: group } = place.at;
    return group === null || isSplit(group);
  });
}

const isNamed = ({ port_uuid: port, portgroup_uuid: group }: WantedVif) =>
  port !== undefined || group !== undefined;

const isAllowed = ({ kind, at }: VifPlace, wanted: WantedVif): boolean =>
  !isNamed(wanted) || at.uuid === (kind === 'port' ? wanted.port_uuid : wanted.portgroup_uuid);

const preference = (place: VifPlace): number =>
  place.kind === 'portgroup' ? 2 : place.at.pxe_enabled ? 1 : 0;
