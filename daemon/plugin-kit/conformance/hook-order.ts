// Whether some order of `[inspector] hooks` satisfies the dependencies of a plugin's hooks.
import { nearestName } from '../../config/nearest-name.ts';
import type { InspectionHook } from '../../plugin-api/index.ts';
import { hyphenated } from '../../plugin-host/hook-names.ts';

/** The plugin's hooks by name; names are written with hyphens. */
export type OwnHooks = ReadonlyMap<string, InspectionHook>;

/** Returns a sentence for each problem with the hook's dependencies. `provided`: the names of the hooks of all plugins. */
export function hookOrderProblems(
  name: string,
  own: OwnHooks,
  provided: readonly string[],
): readonly string[] {
  const roles = new Map(
    [...own].flatMap(([each, { replaces = each }]) => [
      [each, each],
      [hyphenated(replaces), each],
    ]),
  );
  const known = new Set([...provided.map(hyphenated), ...roles.keys()]);
  const missing = dependenciesOf(own.get(name)).filter((needed) => !known.has(needed));
  const circle = circleFrom(name, own, roles);
  return [
    ...missing.map((needed) => {
      const meant = nearestName(needed, known);
      return `depends on the hook ${needed}, which no plugin provides${meant === undefined ? '' : `. Did you mean ${meant}?`}`;
    }),
    ...(circle === undefined
      ? []
      : [`depends on itself: ${circle.join(' -> ')}. No order of the hooks satisfies this`]),
  ];
}

const dependenciesOf = (hook: InspectionHook | undefined): readonly string[] =>
  (hook?.dependencies ?? []).map(hyphenated);

/** Returns the shortest circle of dependencies through the hook; undefined when there is none. */
function circleFrom(
  name: string,
  own: OwnHooks,
  roles: ReadonlyMap<string, string>,
): readonly string[] | undefined {
  const seen = new Set<string>();
  const ways: (readonly [string, ...string[]])[] = [[name]];
  for (const way of ways) {
    for (const needed of dependenciesOf(own.get(way.at(-1) ?? ''))) {
      const next = roles.get(needed) ?? needed;
      if (next === name) return [...way, name];
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  return undefined;
}
