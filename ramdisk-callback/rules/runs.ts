// How often a condition or action runs, and with which arguments: once, or for each item of its loop.
import { isJsonObject, type Json, type JsonObject } from '../../daemon/model/json.ts';
import { type Action, namedArguments } from '../../daemon/model/rule-parts.ts';
import { fillIn, fillInText, type Filling } from './fill-in.ts';

/** Arguments that are taken as they stand, except in a loop. */
const LITERAL: ReadonlySet<string> = new Set(['path', 'name', 'regex', 'unique']);

/** The arguments of each run, filled in. Nothing is filled in twice: what a machine reports is never a reference. */
export function runsOf(part: Action, filling: Filling): readonly JsonObject[] {
  const { op, loop } = part;
  const args = namedArguments(part);
  if (loop === undefined) {
    return [filledArguments(op, args, filling, (name) => !LITERAL.has(name) && op !== 'fail')];
  }
  const items: readonly Json[] = isJsonObject(loop) ? [loop] : loop;
  return items.map((item) => {
    const within = { ...filling, scope: { ...filling.scope, item } };
    return filledArguments(op, args, within, () => true);
  });
}

function filledArguments(
  op: string,
  args: JsonObject,
  filling: Filling,
  isFilled: (name: string) => boolean,
): JsonObject {
  // what is not there is empty
  const absent = op.endsWith('is-empty') ? null : undefined;
  const filled = (value: Json): Json => {
    if (typeof value !== 'string') return fillIn(value, filling);
    return fillInText(value, filling) ?? (absent === undefined ? value : absent);
  };
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, isFilled(name) ? filled(value) : value]),
  );
}
