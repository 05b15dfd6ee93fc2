// How often a condition or action runs, and with which arguments: once, or for each item of its loop.
import { isJsonObject, type Json, type JsonObject } from '../../daemon/model/json.ts';
import type { Operator } from '../../daemon/model/rule-operators.ts';
import { type Action, namedArguments } from '../../daemon/model/rule-parts.ts';
import { fillIn, fillInText, type Filling } from './fill-in.ts';

/**
 * The arguments of each run, filled in. In a loop the items are filled in first, and then every argument. Nothing is
 * filled in twice: what a machine reports is never a reference.
 */
export function runsOf(action: Action, { literal = [] }: Operator, filling: Filling): readonly JsonObject[] {
  const { op, loop } = action;
  const args = namedArguments(action);
  const items = itemsOf(loop);
  if (items === undefined) return [filledArguments(op, args, filling, literal)];
  return items.map((item) => {
    const scope = { ...filling.scope, item: fillIn(item, filling) };
    return filledArguments(op, args, { ...filling, scope }, []);
  });
}

/** undefined when there is no loop, or an empty one. */
export function itemsOf(loop: Action['loop']): readonly Json[] | undefined {
  if (loop === undefined || Object.keys(loop).length === 0) return undefined;
  return isJsonObject(loop) ? [loop] : loop;
}

function filledArguments(
  op: string,
  args: JsonObject,
  filling: Filling,
  literal: readonly string[],
): JsonObject {
  // what is not there is empty
  const absent = op.endsWith('is-empty') ? null : undefined;
  const filled = (value: Json): Json => {
    if (typeof value !== 'string') return fillIn(value, filling);
    return fillInText(value, filling) ?? (absent === undefined ? value : absent);
  };
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, literal.includes(name) ? value : filled(value)]),
  );
}
