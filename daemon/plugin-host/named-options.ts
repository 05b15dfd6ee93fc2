// Options that an interface names: for its intervals, and for the list of its inspection hooks.
import type { Configuration, DriverInterface, InspectInterface } from '../plugin-api/index.ts';
import { secondsOf } from '../plugin-api/contract/intervals.ts';

/** The option as messages show it. */
export const hooksLabel = ({ section, option }: NonNullable<InspectInterface['hooks']>): string =>
  `[${section}] ${option}`;

/** Throws an Error when an option that the interface names does not exist or does not hold what the interface expects. */
export function checkNamedOptions(one: DriverInterface, configuration: Configuration): void {
  const { periodic = {}, poll, hooks } = one as Partial<InspectInterface>;
  for (const { interval } of [...Object.values(periodic), ...(poll === undefined ? [] : [poll])])
    secondsOf(interval, configuration);
  if (hooks !== undefined) hookNames(hooks, configuration);
}

/** The names of the hooks that the option lists. Throws an Error when it is no list. */
export function hookNames(
  hooks: NonNullable<InspectInterface['hooks']>,
  configuration: Configuration,
): readonly string[] {
  const names = configuration[hooks.section]?.[hooks.option];
  if (Array.isArray(names)) return names as readonly string[];
  throw new Error(
    `${hooksLabel(hooks)} must be a list: an inspect interface takes its hooks from this option`,
  );
}
