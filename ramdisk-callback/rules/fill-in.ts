// Texts of rules with references in braces, as in `{inventory[cpu][count]}`: the form of Python's str.format.
import { isJsonObject, type Json, type JsonObject } from '../../daemon/model/json.ts';
import { isSecretKey } from '../../daemon/model/secrets.ts';
import { pythonText } from './python-text.ts';

/** What rules may refer to. */
export interface Scope {
  readonly node: JsonObject;
  readonly inventory: JsonObject;
  readonly plugin_data: JsonObject;
  /** In a loop. */
  readonly item?: Json;
}

export interface Filling {
  readonly scope: Scope;
  /** Secrets read as `***`. */
  readonly masked: boolean;
  warn(message: string): void;
}

/** `value` with its texts filled in, at every depth. A text that cannot be stays as it is, with a warning. */
export function fillIn(value: Json, filling: Filling): Json {
  if (typeof value === 'string') return fillInText(value, filling) ?? value;
  if (isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, fillIn(part, filling)]));
  }
  return Array.isArray(value) ? value.map((part: Json) => fillIn(part, filling)) : value;
}

/** undefined when a reference in the text leads nowhere, which is warned of. */
export function fillInText(text: string, filling: Filling): string | undefined {
  const flaws: string[] = [];
  const filled = text.replaceAll(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g, (token, reference: string | undefined) => {
    if (token === '{{' || token === '}}') return token.charAt(0);
    const found = reference === undefined ? undefined : lookUp(reference, filling);
    if (found === undefined) flaws.push(token);
    return found === undefined ? token : pythonText(found);
  });
  if (flaws.length === 0) return filled;
  filling.warn(`${JSON.stringify(text)} is taken as it stands: ${flaws.join(', ')} cannot be filled in`);
  return undefined;
}

const REFERENCE = /^(\w+)((?:\[[^[\]]+\]|\.\w+)*)$/;
const STEP = /\[[^[\]]+\]|\.\w+/g;

function lookUp(reference: string, { scope, masked }: Filling): Json | undefined {
  const [, root = '', rest = ''] = REFERENCE.exec(reference) ?? [];
  const steps = rest.match(STEP) ?? [];
  // only the node itself has attributes
  const misplaced = steps.findIndex(
    (step, index) => step.startsWith('.') && !(root === 'node' && index === 0),
  );
  if (misplaced !== -1 || !Object.hasOwn(scope, root)) return undefined;
  const keys = steps.map((step) => step.replaceAll(/^[.[]|\]$/g, ''));
  const value = keys.reduce(memberOf, scope[root as keyof Scope]);
  if (value === undefined || !masked) return value;
  return keys.some(isSecretKey) ? MASKED : withoutSecrets(value);
}

const MASKED = '***';

function memberOf(value: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(key) ? (value as readonly Json[])[Number(key)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function withoutSecrets(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, part]) => [key, isSecretKey(key) ? MASKED : withoutSecrets(part)]),
  );
}
