// Readers for `driver_info` whose errors name the property, its value and what is allowed.
import { booleanOf } from '../lib/words.ts';
import { fault } from '../model/faults.ts';
import type { Json } from '../model/json.ts';
import type { Node } from '../model/records/node.ts';
import { shownValue } from '../model/secrets.ts';
import type { PropertySpec } from './interfaces/driver-interface.ts';

/** Throws DriverInfoMissing when a required property is absent or empty. */
export function requireDriverInfo(node: Node, properties: Readonly<Record<string, PropertySpec>>): void {
  const missing = Object.entries(properties)
    .filter(([name, spec]) => spec.required === true && isEmpty(node.driver_info[name]))
    .map(([name]) => name);
  if (missing.length > 0) {
    throw fault('DriverInfoMissing', {
      node: node.uuid,
      names: missing.join(', '),
      hint: `Set them with: baremetal node set ${node.uuid} ${missing.map((name) => `--driver-info ${name}=...`).join(' ')}`,
    });
  }
}

const isEmpty = (value: Json | undefined) => value === undefined || value === null || value === '';

/** Returns a property's text or number as text, or `otherwise` when it is absent or empty. Throws DriverInfoInvalid. */
export function driverInfoText(node: Node, name: string, otherwise: string): string {
  const value = node.driver_info[name];
  if (isEmpty(value)) return otherwise;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw invalidDriverInfo(node, name, 'a string');
}

/** Returns a property that must be one of `allowed`, or `otherwise` when it is absent or empty. Throws DriverInfoInvalid. */
export function driverInfoChoice<T extends string>(
  node: Node,
  name: string,
  allowed: readonly T[],
  otherwise: T,
): T {
  const value = driverInfoText(node, name, otherwise);
  const found = allowed.find((choice) => choice === value);
  if (found === undefined) throw invalidDriverInfo(node, name, `one of ${allowed.join(', ')}`);
  return found;
}

/**
 * Returns a property that must be a boolean or one of Ironic's words for true and false, such as `yes` and `off`. Returns
 * `otherwise` when it is absent or empty. Throws DriverInfoInvalid.
 */
export function driverInfoFlag(node: Node, name: string, otherwise: boolean): boolean {
  const value = node.driver_info[name];
  if (typeof value === 'boolean') return value;
  const flag = booleanOf(driverInfoText(node, name, String(otherwise)));
  if (flag === undefined) throw invalidDriverInfo(node, name, 'true or false');
  return flag;
}

/**
 * Returns a property that must be an integer within the bounds, stored as a number or as text. Returns `bounds.otherwise` when
 * it is absent or empty. Throws DriverInfoInvalid.
 */
export function driverInfoInteger(
  node: Node,
  name: string,
  bounds: { readonly minimum: number; readonly maximum: number; readonly otherwise: number },
): number {
  const text = driverInfoText(node, name, String(bounds.otherwise));
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= bounds.minimum && value <= bounds.maximum)) {
    throw invalidDriverInfo(node, name, `an integer from ${bounds.minimum} to ${bounds.maximum}`);
  }
  return value;
}

/**
 * Returns a property that must be an http or https URL, without a `/` at its end; undefined when it is absent or empty. Throws
 * DriverInfoInvalid.
 */
export function driverInfoUrl(node: Node, name: string): string | undefined {
  const given = driverInfoText(node, name, '');
  if (given === '') return undefined;
  const url = URL.parse(given);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw invalidDriverInfo(node, name, 'an http or https URL');
  return given.endsWith('/') ? given.slice(0, -1) : given;
}

/** Returns the fault for a property whose value is invalid. */
export function invalidDriverInfo(node: Node, name: string, expected: string) {
  return fault('DriverInfoInvalid', {
    node: node.uuid,
    name,
    value: shownValue(name, node.driver_info[name]),
    expected,
  });
}
