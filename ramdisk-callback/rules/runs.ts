// Computes the runs of a condition or action: one, or one for each item of its loop.
import { isJsonObject, type Json, type JsonObject } from '../../daemon/model/json.ts';
import type { Operator } from '../../daemon/model/rules/rule-operators.ts';
import { type RuleAction, namedArguments } from '../../daemon/model/rules/rule-parts.ts';
import { fillIn, fillInText, type Filling } from './fill-in.ts';

/**
 * Returns the arguments of each run with their references replaced. Outside a loop, the arguments in `literal` keep their
 * references. In a loop, the references in the item are replaced first, then those in every argument. The text that replaces a
 * reference is not searched for further references, so references that a machine puts into its report have no effect.
 */
export function runsOf(
  action: RuleAction,
  { literal = [] }: Operator,
  filling: Filling,
): readonly JsonObject[] {
  const { op, loop } = action;
  const args = namedArguments(action);
  const items = itemsOf(loop);
  if (items === undefined) return [filledArguments(op, args, filling, literal)];
  return items.map((item) => {
    const scope = { ...filling.scope, item: fillIn(item, filling) };
    return filledArguments(op, args, { ...filling, scope }, []);
  });
}

/** Returns the items of a loop: an object is one item. Undefined when there is no loop, or an empty one. */
export function itemsOf(loop: RuleAction['loop']): readonly Json[] | undefined {
  if (loop === undefined || Object.keys(loop).length === 0) return undefined;
  return isJsonObject(loop) ? [loop] : loop;
}

function filledArguments(
  op: string,
  args: JsonObject,
  filling: Filling,
  literal: readonly string[],
): JsonObject {
  // is-empty holds for a reference to a missing value
  const absent = op.endsWith('is-empty') ? null : undefined;
  const filled = (value: Json): Json => {
    if (typeof value !== 'string') return fillIn(value, filling);
    return fillInText(value, filling) ?? (absent === undefined ? value : absent);
  };
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, literal.includes(name) ? value : filled(value)]),
  );
}
