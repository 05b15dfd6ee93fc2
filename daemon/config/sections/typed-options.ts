// Builders for the core's options: JSON Schema with the TypeScript type of the value. `otherwise` is the default.
import { type Schema, typed } from '../../lib/json/typed-schema.ts';

// The longest timer that Node.js supports; longer timers fire at once.
const LONGEST_TIMER_SECONDS = 2_147_483;

interface Bounds {
  readonly minimum: number;
  readonly maximum?: number;
}

export const flag = (otherwise: boolean, description: string) =>
  typed<boolean>({ type: 'boolean', default: otherwise, description });
export const integer = (otherwise: number, bounds: Bounds, description: string) =>
  typed<number>({ type: 'integer', default: otherwise, ...bounds, description });
export const integerOrNull = (bounds: Bounds, description: string) =>
  typed<number | null>({ type: 'integer', ...bounds, description });
export const seconds = (otherwise: number, minimum: number, description: string) =>
  integer(otherwise, { minimum, maximum: LONGEST_TIMER_SECONDS }, description);
export const text = (otherwise: string, description: string) =>
  typed<string>({ type: 'string', default: otherwise, description });
export const textOrNull = (description: string) => typed<string | null>({ type: 'string', description });
export const path = (otherwise: string, description: string) =>
  typed<string>({ type: 'string', format: 'path', default: otherwise, description });
export const pathOrNull = (description: string) =>
  typed<string | null>({ type: 'string', format: 'path', description });
export const list = (otherwise: readonly string[], description: string) =>
  typed<readonly string[]>({
    type: 'array',
    items: { type: 'string' },
    default: otherwise,
    description,
  });

export const networks = (description: string, otherwise: readonly string[] = []) =>
  typed<readonly string[]>({
    type: 'array',
    items: { type: 'string', format: 'network' },
    default: otherwise,
    description,
  });

/** A list of pairs, to be read with `pairsOf`. */
export const pairs = (format: 'pair' | 'priority', description: string) =>
  typed<readonly string[]>({
    type: 'array',
    items: { type: 'string', format },
    repeatable: true,
    default: [],
    description,
  });

/** Returns the pairs as a map; if a name is repeated, the last value counts. */
export const pairsOf = (items: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    items.map((item): [string, string] => {
      const colon = item.indexOf(':');
      return [item.slice(0, colon), item.slice(colon + 1)];
    }),
  );

export const tlsVersion = (description: string) =>
  typed<'1.2' | '1.3'>({ type: 'string', enum: ['1.2', '1.3'], default: '1.3', description });

export const section = <P extends Readonly<Record<string, Schema>>>(properties: P) => ({
  type: 'object' as const,
  properties,
});
