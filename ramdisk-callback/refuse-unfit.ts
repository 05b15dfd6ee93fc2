// What hooks may leave in a draft: only what the database and the API can hold.
import { type InspectionDraft, InspectionError, isJsonObject, parseMac, type PortDraft } from '#plugin-api';
import { deepFreeze } from './draft.ts';

/**
 * Gives a function to call after each hook: it throws InspectionError for the first part of the draft that could not be
 * stored. Of plugin data only what has changed is looked at; it is frozen then.
 */
export function createFitnessCheck(draft: InspectionDraft): () => void {
  const checked = new Map(Object.entries(draft.pluginData));
  return () => {
    refuseUnlessPlain('node.properties', draft.node.properties);
    refuseUnlessPlain('node.extra', draft.node.extra);
    for (const [key, value] of Object.entries(draft.pluginData)) {
      if (checked.get(key) === value) continue;
      if (!isPlain(value, [])) throw unfit(`pluginData ${key}`, 'a JSON value');
      checked.set(key, deepFreeze(value));
    }
    const ports: unknown = draft.ports;
    if (!Array.isArray(ports)) throw unfit('ports', 'a list');
    for (const port of ports) refuseUnfitPort(port);
  };
}

function refuseUnlessPlain(name: string, part: unknown): void {
  if (!isJsonObject(part) || !isPlain(part, [])) throw unfit(name, 'an object of JSON values');
}

const unfit = (name: string, expected: string) =>
  new InspectionError(`the hook left a draft that cannot be stored: ${name} is not ${expected}`);

const PORT_FIELDS: Readonly<
  Record<Exclude<keyof PortDraft, 'uuid'>, readonly [(value: unknown) => boolean, string]>
> = {
  address: [
    (value) => typeof value === 'string' && parseMac(value) === value,
    'a lower-case MAC address with colons',
  ],
  pxe_enabled: [(value) => typeof value === 'boolean', 'a boolean'],
  extra: [(value) => isJsonObject(value) && isPlain(value, []), 'an object of JSON values'],
  local_link_connection: [
    (value) => isJsonObject(value) && Object.values(value).every((one) => typeof one === 'string'),
    'an object of strings',
  ],
  physical_network: [(value) => value === null || typeof value === 'string', 'a string or null'],
};

function refuseUnfitPort(port: unknown): void {
  if (!isJsonObject(port)) throw unfit('one of ports', 'an object');
  for (const [name, [fits, expected]] of Object.entries(PORT_FIELDS)) {
    if (!fits(port[name])) throw unfit(`${name} of a port`, expected);
  }
}

// `around`: the objects that the value lies in, for one that contains itself
function isPlain(value: unknown, around: readonly object[]): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) {
    return value === null || typeof value === 'string' || typeof value === 'boolean';
  }
  if (around.includes(value) || typeof (value as { toJSON?: unknown }).toJSON === 'function') return false;
  return Object.values(value).every((part) => isPlain(part, [...around, value]));
}
