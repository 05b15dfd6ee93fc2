// Options of a plugin, with the types that its manifest declares.
import type { Task } from './task.ts';

/** A section of `configuration` in a manifest. */
interface DeclaredSection {
  readonly properties: Readonly<Record<string, object>>;
}

/** The type of an option's value is that of its default. An option without a default holds text, or null until it is set. */
type ValueOf<O> = O extends { readonly default: infer D }
  ? D extends readonly unknown[]
    ? readonly string[]
    : D
  : string | null;

/** The values of a declared section, by option. */
export type OptionsOf<S extends DeclaredSection> = {
  readonly [Name in keyof S['properties']]: ValueOf<S['properties'][Name]>;
};

/**
 * Returns a function that reads a section of the configuration: `const options = optionsIn(manifest, 'acme')`, then
 * `options(task).request_timeout`. `manifest` is the plugin's manifest, imported with `import manifest from
 * './plugin.json' with { type: 'json' }`; the daemon has checked the values against it.
 */
export function optionsIn<
  M extends { readonly configuration: Readonly<Record<keyof M['configuration'], DeclaredSection>> },
  Section extends keyof M['configuration'] & string,
>(
  _manifest: M,
  section: Section,
): (context: Pick<Task, 'configuration'>) => OptionsOf<M['configuration'][Section]> {
  return ({ configuration }) => {
    const values = configuration[section];
    if (values === undefined) throw new Error(`the configuration has no section [${section}]`);
    return values as OptionsOf<M['configuration'][Section]>;
  };
}
