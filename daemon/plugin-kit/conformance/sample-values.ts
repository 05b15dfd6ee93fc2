// The values of `driver_info` and of inventories that a rehearsal tries.
import type { JsonObject } from '../../model/json.ts';
import type { PropertySpec } from '../../plugin-api/index.ts';

/**
 * Returns a `driver_info` with all properties that are required or have an example. A required property without an example gets
 * SECRET if it is secret, otherwise an address from the range reserved for documentation.
 */
export function sampleDriverInfo(properties: Readonly<Record<string, PropertySpec>>): JsonObject {
  const wanted = Object.entries(properties).filter(
    ([, { required, example }]) => required === true || example !== undefined,
  );
  return Object.fromEntries(
    wanted.map(([name, { example, secret }]) => [name, example ?? (secret === true ? SECRET : '192.0.2.1')]),
  );
}

/** A sample secret, which no message may contain. */
export const SECRET = 'rehearsed-secret-7391';

/** Values for a secret property, which no message may repeat: a suitable one, and two that are no text. */
export const hostileSecrets: readonly unknown[] = [SECRET, [SECRET], { nested: { deeper: SECRET } }];

/** Unsuitable values that `driver_info` may contain. */
export const hostileValues: readonly unknown[] = [
  '',
  null,
  true,
  -1,
  1e300,
  [],
  ['text'],
  {},
  { nested: { deeper: 'text' } },
  '"; reboot; #',
  '../../etc/passwd',
  'x'.repeat(100_000),
  '\u0000\uFFFF\u{1F4A9}',
  '__proto__',
];
