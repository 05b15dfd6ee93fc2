// The conditions and actions of inspection rules: their form, and how they are parsed from client input.
import { fault } from '../faults.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { isSubnet } from '../../lib/network/ip.ts';
import { pythonRegex } from './python-regex.ts';
import { actionOperators, type ArgumentKind, conditionOperators, type Operator } from './rule-operators.ts';

export interface RuleAction {
  readonly op: string;
  /** The arguments as the client sent them: by name, or as a list in the order in which the operator declares them. */
  readonly args: JsonObject | readonly Json[];
  /**
   * For a list, the condition or action runs once for each item. For an object, it runs once, with the object as the item. An
   * empty list or object is like no loop: it runs once, without an item.
   */
  readonly loop?: readonly Json[] | JsonObject;
}

export interface RuleCondition extends RuleAction {
  /** How the results of a loop are combined; by default `any`. `first` is the same as `any`. */
  readonly multiple?: 'any' | 'all' | 'first' | 'last';
}

const MULTIPLE = ['any', 'all', 'first', 'last'] as const;
const LOG_LEVELS: ReadonlySet<string> = new Set(['debug', 'info', 'warning', 'error', 'critical']);

const accepts: Readonly<Record<ArgumentKind, (value: Json) => boolean>> = {
  any: () => true,
  text: (value) => typeof value === 'string',
  object: isJsonObject,
  flag: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number',
  'log level': (value) => typeof value === 'string' && LOG_LEVELS.has(value.toLowerCase()),
  regex: (value) => typeof value === 'string' && isRegex(value),
  // a text that contains a reference is checked when the reference has been replaced
  subnet: (value) => typeof value === 'string' && (value.includes('{') || isSubnet(value)),
};

function isRegex(text: string): boolean {
  try {
    pythonRegex(text);
    return true;
  } catch {
    return false;
  }
}

/** Parses a condition; unknown keys are dropped. Throws InvalidParameter. */
export function parseCondition(given: JsonObject): RuleCondition {
  const { multiple } = given;
  const op = nameOf(given);
  const condition = parsePart(op, operatorOf(conditionOperators, op.replace(/^!/, '')), given);
  if (multiple === undefined) return condition;
  const known = MULTIPLE.find((name) => name === multiple);
  if (known !== undefined) return { ...condition, multiple: known };
  throw wrong('multiple', `${shown(multiple)} is not one of ${MULTIPLE.join(', ')}`);
}

/** Parses an action; unknown keys are dropped. Throws InvalidParameter. */
export function parseAction(given: JsonObject): RuleAction {
  const op = nameOf(given);
  return parsePart(op, operatorOf(actionOperators, op), given);
}

const wrong = (name: string, reason: string) => fault('InvalidParameter', { name, reason });
const shown = (value: Json | undefined) => JSON.stringify(value)?.slice(0, 80);

function nameOf({ op }: JsonObject): string {
  if (typeof op === 'string') return op;
  throw wrong('op', `${shown(op)} is not the name of an operator`);
}

function operatorOf(operators: Readonly<Record<string, Operator>>, name: string): Operator {
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
  if (operator !== undefined) return operator;
  throw wrong('op', `${name} is not one of ${Object.keys(operators).join(', ')}`);
}

function parsePart(op: string, operator: Operator, { args = null, loop }: JsonObject): RuleAction {
  const inLoop = loop !== undefined;
  if (inLoop && !isLoop(loop)) {
    throw wrong(`loop of ${op}`, `${shown(loop)} is neither a list nor an object`);
  }
  if (!isJsonObject(args) && !isList(args))
    throw wrong(`args of ${op}`, 'it is neither an object nor a list');
  const kinds = { ...operator.required, ...operator.optional };
  const named = byName(args, kinds);
  const complaint =
    nameComplaint(named, Object.keys(operator.required), kinds) ?? valueComplaint(named, kinds, inLoop);
  if (complaint !== undefined) throw wrong(`args of ${op}`, complaint);
  return { op, args, ...(inLoop && { loop }) };
}

const isLoop = (value: Json): value is readonly Json[] | JsonObject => isList(value) || isJsonObject(value);

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

type Kinds = Readonly<Record<string, ArgumentKind>>;

/** Returns the arguments of a parsed condition or action by name. */
export function namedArguments({ op, args }: RuleAction): JsonObject {
  const name = op.replace(/^!/, '');
  const { required, optional } = conditionOperators[name] ?? operatorOf(actionOperators, name);
  return byName(args, { ...required, ...optional });
}

function byName(args: RuleAction['args'], kinds: Kinds): JsonObject {
  if (isJsonObject(args)) return args;
  const names = Object.keys(kinds);
  return Object.fromEntries(args.map((value, index) => [names[index] ?? `[${index}]`, value]));
}

function nameComplaint(args: JsonObject, required: readonly string[], kinds: Kinds): string | undefined {
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(kinds, name));
  if (unknown !== undefined) return `${unknown} is not one of ${Object.keys(kinds).join(', ')}`;
  const missing = required.find((name) => !Object.hasOwn(args, name));
  return missing === undefined ? undefined : `${missing} is missing`;
}

function valueComplaint(args: JsonObject, kinds: Kinds, inLoop: boolean): string | undefined {
  for (const [name, value] of Object.entries(args)) {
    const kind = kinds[name] ?? 'any';
    // in a loop, references in every text are replaced before use, so a text may become the expected type
    const fits = accepts[kind](value) || (inLoop && typeof value === 'string');
    if (!fits) return `${name}: ${shown(value)} is not a ${kind}`;
  }
  return undefined;
}
