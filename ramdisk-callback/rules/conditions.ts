// The conditions of inspection rules, by name.
import { isDeepStrictEqual } from 'node:util';
import { canonicalIp, isInSubnet, isSubnet } from '../../daemon/lib/network/ip.ts';
import type { Json, JsonObject } from '../../daemon/model/json.ts';
import { pythonRegex } from '../../daemon/model/rules/python-regex.ts';
import { conditionOperators } from '../../daemon/model/rules/rule-operators.ts';
import type { RuleCondition } from '../../daemon/model/rules/rule-parts.ts';
import { InspectionError } from '#plugin-api';
import type { Filling } from './fill-in.ts';
import { pythonText } from './python-text.ts';
import { itemsOf, runsOf } from './runs.ts';

/** Whether the condition holds. Throws InspectionError when it cannot be evaluated. */
export function holds(condition: RuleCondition, filling: Filling): boolean {
  const { op, loop, multiple } = condition;
  const name = op.replace(/^!/, '');
  const [judge, operator] = [judges[name], conditionOperators[name]];
  if (judge === undefined || operator === undefined) throw new InspectionError(`${op} is not a condition`);
  const looped = itemsOf(loop) !== undefined;
  const results = runsOf(condition, operator, filling).map(
    (args) => judge(args, looped) !== op.startsWith('!'),
  );
  if (multiple === 'all') return results.every(Boolean);
  return multiple === 'last' ? results.at(-1) === true : results.some(Boolean);
}

/** `looped`: the condition has a loop, so its values are compared as strings. */
type Judge = (args: JsonObject, looped: boolean) => boolean;

const neighbours =
  (related: (left: Json, right: Json) => boolean): Judge =>
  ({ values = null, force_strings: forced = false }, looped) => {
    if (!isList(values)) throw new InspectionError(`values: ${JSON.stringify(values)} is not a list`);
    const list = isTrue(forced) || looped ? values.map(pythonText) : values;
    return list.slice(1).every((right, index) => related(list[index] ?? null, right));
  };

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

const isTrue = (value: Json): boolean => ![false, null, 0, ''].some((nothing) => nothing === value);

function order(left: Json, right: Json): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : Number(left > right);
  throw new InspectionError(
    `${JSON.stringify(left)} and ${JSON.stringify(right)} cannot be ordered: compare numbers or strings, or set force_strings`,
  );
}

const search =
  (sourceOf: (regex: string) => string): Judge =>
  ({ value = null, regex = null }) => {
    const source = pythonText(regex);
    try {
      return pythonRegex(sourceOf(source)).test(pythonText(value));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new InspectionError(`regex ${JSON.stringify(source)}: ${error.message}`);
    }
  };

// flags such as (?i) must stay at the start
const wholly = (regex: string) => regex.replace(/^(\(\?[a-zA-Z]+\))?([^]*)$/, '$1^(?:$2)$$');

function isWithin(address: string, subnet: string): boolean {
  const canonical = canonicalIp(address);
  if (canonical === undefined)
    throw new InspectionError(`address: ${JSON.stringify(address)} is not an IP address`);
  if (!isSubnet(subnet))
    throw new InspectionError(`subnet: ${JSON.stringify(subnet)} is not a subnet in CIDR notation`);
  return isInSubnet(canonical, subnet);
}

function says(value: Json, flag: boolean, text: RegExp): boolean {
  if (typeof value === 'string') return text.test(value);
  return typeof value === 'number' ? (value !== 0) === flag : value === flag;
}

function isAmong(value: Json, values: Json): boolean {
  if (isList(values)) return values.some((one) => isDeepStrictEqual(one, value));
  if (typeof values === 'string' && typeof value === 'string') return values.includes(value);
  throw new InspectionError(`values: ${JSON.stringify(values)} is not a list`);
}

const judges: Readonly<Record<string, Judge>> = {
  eq: neighbours((left, right) => isDeepStrictEqual(left, right)),
  lt: neighbours((left, right) => order(left, right) < 0),
  gt: neighbours((left, right) => order(left, right) > 0),
  'is-true': ({ value = null }) => says(value, true, /^(yes|true)$/i),
  'is-false': ({ value = null }) => value === null || says(value, false, /^(no|false)$/i),
  'is-none': ({ value = null }) => value === null,
  'is-empty': ({ value = null }) => ['', 'None', '[]', '{}'].includes(pythonText(value)),
  'in-net': ({ address = null, subnet = null }) => isWithin(pythonText(address), pythonText(subnet)),
  contains: search((regex) => regex),
  matches: search(wholly),
  'one-of': ({ value = null, values = [] }) => isAmong(value, values),
};
