// Fills in the references of rules, as in `{inventory[cpu][count]:>4}`: the syntax of Python's str.format.
import { isJsonObject, type Json, type JsonObject } from '../../daemon/model/json.ts';
import { isSecretKey } from '../../daemon/model/secrets.ts';
import { type FormatField, FieldError, parseFields } from './format-fields.ts';
import { FormatError, pythonFormat } from './python-format.ts';
import { pythonAscii, pythonRepr, pythonText } from './python-text.ts';

/** The values that rules may refer to. */
export interface Scope {
  readonly node: JsonObject;
  readonly inventory: JsonObject;
  readonly plugin_data: JsonObject;
  /** The current item, in a loop. */
  readonly item?: Json;
}

export interface Filling {
  readonly scope: Scope;
  /** Whether references to secrets yield `***`. */
  readonly masked: boolean;
  warn(message: string): void;
}

/**
 * Returns `value` with every string in it filled in, including keys. An invalid string stays unchanged, with a warning.
 */
export function fillIn(value: Json, filling: Filling): Json {
  if (typeof value === 'string') return fillInText(value, filling) ?? value;
  if (isJsonObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [fillInText(key, filling) ?? key, fillIn(part, filling)]),
    );
  }
  return Array.isArray(value) ? value.map((part: Json) => fillIn(part, filling)) : value;
}

/** Returns the string filled in; undefined, after a warning, when the string is invalid. */
export function fillInText(text: string, filling: Filling): string | undefined {
  try {
    return filled(text, filling, 1);
  } catch (error) {
    if (!(error instanceof FieldError || error instanceof FormatError)) throw error;
    filling.warn(`${JSON.stringify(text)} is left unchanged: ${error.message}`);
    return undefined;
  }
}

/** `levels`: how many levels of nested formats may contain references; with 0, the formats in `text` must not contain any. */
function filled(text: string, filling: Filling, levels: number): string {
  return parseFields(text)
    .map((part) => {
      if (typeof part === 'string') return part;
      if (levels === 0 && part.format.includes('{'))
        throw new FieldError(`{${part.source}}: a format inside a format cannot contain references`);
      const value = CONVERSIONS[part.conversion](lookUp(part, filling));
      return pythonFormat(value, filled(part.format, filling, levels - 1));
    })
    .join('');
}

const CONVERSIONS: Readonly<Record<FormatField['conversion'], (value: Json) => Json>> = {
  '': (value) => value,
  s: pythonText,
  r: pythonRepr,
  a: pythonAscii,
};

function lookUp(field: FormatField, { scope, masked }: Filling): Json {
  const { source, root, steps } = field;
  if (!Object.hasOwn(scope, root))
    throw new FieldError(`{${source}}: it does not begin with one of ${Object.keys(scope).join(', ')}`);
  const value = steps.reduce<Json>(
    (here, _, at) => memberAt(here, field, at),
    scope[root as keyof Scope] ?? null,
  );
  if (!masked) return value;
  return steps.some(({ key }) => isSecretKey(key)) ? MASKED : withoutSecrets(value);
}

function memberAt(value: Json, { source, root, steps }: FormatField, at: number): Json {
  const { key = '', isAttribute = false } = steps[at] ?? {};
  // only a field of the node may be written as an attribute, as in {node.driver}
  if (isAttribute && !(root === 'node' && at === 0))
    throw new FieldError(`{${source}}: write .${key} as [${key}]`);
  const member = memberOf(value, key);
  if (member === undefined) throw new FieldError(`{${source}}: there is no ${key}`);
  return member;
}

const MASKED = '***';

function memberOf(value: Json, key: string): Json | undefined {
  const at = /^\d+$/.test(key) ? Number(key) : undefined;
  if (typeof value === 'string') return at === undefined ? undefined : Array.from(value)[at];
  if (Array.isArray(value)) return at === undefined ? undefined : (value as readonly Json[])[at];
  // Python takes a key that consists of digits for a number, which never equals a string key of a JSON object
  return at === undefined && isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function withoutSecrets(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, part]) => [key, isSecretKey(key) ? MASKED : withoutSecrets(part)]),
  );
}
