// Checks that a draft, which is the node, ports and plugin data as inspection hooks have changed them, contains only what the
// database and the API can hold.
import { nearestName } from '../../config/nearest-name.ts';
import { deepFreeze } from '../../lib/json/deep-freeze.ts';
import { parseMac, parseStationMac } from '../../lib/network/mac.ts';
import {
  type InspectedNodeField,
  inspectedNodeFields,
  inspectedPortFields,
} from '../../model/records/inspected-fields.ts';
import { isJsonObject, type Json } from '../../model/json.ts';
import { nodeFields } from '../../model/records/node.ts';
import { type InspectionDraft, InspectionError } from '../../plugin-api/hooks.ts';

/**
 * Returns a function to call after each hook. It throws InspectionError for the first part of the draft that cannot be stored, or
 * would be ignored. Of the plugin data, it checks only what has changed since its last call, and then freezes these parts.
 */
export function createDraftCheck(draft: InspectionDraft): () => void {
  const { inventory } = draft;
  const { uuid } = draft.node;
  const keys = Object.keys(draft);
  const checked = new Map(Object.entries(draft.pluginData));
  const addresses = new Map(draft.ports.map((port) => [port.uuid, port.address]));
  return () => {
    refuseOtherKeys('draft', draft, keys);
    if (draft.inventory !== inventory)
      throw new InspectionError('draft.inventory was replaced; hooks cannot change the inventory');
    refuseUnfitNode(draft.node, uuid);
    if (!isJsonObject(draft.pluginData)) throw unfit('draft.pluginData', 'an object of JSON values');
    for (const [key, value] of Object.entries(draft.pluginData)) {
      if (checked.get(key) === value) continue;
      if (!isPlain(value, [])) throw unfit(`draft.pluginData ${key}`, 'a JSON value');
      checked.set(key, deepFreeze(value));
    }
    refuseUnfitPorts(draft.ports, addresses);
  };
}

/** Throws InspectionError. `known`: the addresses of the node's existing ports, by UUID. */
export function refuseUnfitPorts(ports: unknown, known: ReadonlyMap<string | undefined, string>): void {
  if (!Array.isArray(ports)) throw unfit('draft.ports', 'a list');
  for (const port of ports) refuseUnfitPort(port, known);
}

const unfit = (name: string, expected: string) => new InspectionError(`${name} is not ${expected}`);

function refuseOtherKeys(name: string, object: object, known: readonly string[]): void {
  const other = Object.keys(object).find((key) => !known.includes(key));
  if (other === undefined) return;
  const meant = nearestName(other, known);
  throw new InspectionError(
    `${name}.${other} would not be stored: ${name} has only ${known.join(', ')}${meant === undefined ? '' : `. Did you mean ${meant}?`}`,
  );
}

function refuseUnfitNode(node: unknown, uuid: string): void {
  if (!isJsonObject(node)) throw unfit('draft.node', 'an object');
  refuseOtherKeys('draft.node', node, ['uuid', 'traits', ...inspectedNodeFields]);
  if (node['uuid'] !== uuid) throw new InspectionError('draft.node.uuid was changed; hooks cannot change it');
  for (const name of inspectedNodeFields) refuseUnfitField(name, node[name] ?? null);
  const { traits } = node;
  if (!Array.isArray(traits) || !traits.every((trait: Json) => typeof trait === 'string'))
    throw unfit('draft.node.traits', 'a list of strings');
}

/** Throws InspectionError. `value` is null for an unset field. */
function refuseUnfitField(name: InspectedNodeField, value: unknown): void {
  const holdsObject = isJsonObject(nodeFields[name].initial) && value !== null;
  if (isPlain(value, []) && (!holdsObject || isJsonObject(value))) return;
  throw unfit(`draft.node.${name}`, holdsObject ? 'an object of JSON values' : 'a JSON value');
}

type Rule = readonly [fits: (value: unknown) => boolean, expected: string];

const portRules: Readonly<Record<(typeof inspectedPortFields)[number], Rule>> = {
  pxe_enabled: [(value) => typeof value === 'boolean', 'a boolean'],
  extra: [(value) => isJsonObject(value) && isPlain(value, []), 'an object of JSON values'],
  local_link_connection: [
    (value) => isJsonObject(value) && Object.values(value).every((one) => typeof one === 'string'),
    'an object of strings',
  ],
  physical_network: [(value) => value === null || typeof value === 'string', 'a string or null'],
};

function refuseUnfitPort(port: unknown, known: ReadonlyMap<string | undefined, string>): void {
  if (!isJsonObject(port)) throw unfit('one of draft.ports', 'an object');
  const { uuid, address } = port;
  refuseUnfitAddress(address, uuid === undefined);
  const name = `port ${address}`;
  if (uuid !== undefined && known.get(uuid as string) !== address)
    throw new InspectionError(
      `${name} has the UUID ${JSON.stringify(uuid)}, but the node has no port with this UUID and address; a new port must not have a UUID`,
    );
  refuseOtherKeys(name, port, ['uuid', 'address', ...inspectedPortFields]);
  for (const [field, [fits, expected]] of Object.entries(portRules))
    if (!fits(port[field])) throw unfit(`${field} of ${name}`, expected);
}

function refuseUnfitAddress(address: unknown, isNew: boolean): asserts address is string {
  const text = typeof address === 'string' ? address : '';
  // an existing port may have been created with an address that is not unicast
  if ((isNew ? parseStationMac(text) : parseMac(text)) === address && text !== '') return;
  throw unfit(`address ${JSON.stringify(address)} of a port`, 'a lower-case unicast MAC address with colons');
}

// `around`: the objects that contain the value, to detect cycles
function isPlain(value: unknown, around: readonly object[]): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) {
    return value === null || typeof value === 'string' || typeof value === 'boolean';
  }
  if (around.includes(value) || typeof (value as { toJSON?: unknown }).toJSON === 'function') return false;
  return Object.values(value).every((part) => isPlain(part, [...around, value]));
}
