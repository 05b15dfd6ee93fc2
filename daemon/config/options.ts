// All options of the core and of plugins, merged by section.
import { ConfigurationError } from './configuration-error.ts';
import { isSecretKey } from '../model/secrets.ts';
import type { OptionSchema, SectionSchemas } from './section-schema.ts';

export interface SectionSource {
  /** Who declares the sections, for errors and for the reference: `plugin acme`. */
  readonly declaredBy: string;
  readonly sections: SectionSchemas;
}

export interface Option {
  readonly section: string;
  readonly name: string;
  readonly schema: OptionSchema;
  readonly declaredBy: string;
}

/** Sections by name, each with its options by name. */
export type Options = ReadonlyMap<string, ReadonlyMap<string, Option>>;

/** Throws a ConfigurationError when two sources declare the same option. */
export function mergeSections(sources: readonly SectionSource[]): Options {
  const merged = new Map<string, Map<string, Option>>();
  const problems: string[] = [];
  for (const option of sources.flatMap(optionsOf)) {
    const section = merged.get(option.section) ?? new Map<string, Option>();
    merged.set(option.section, section);
    const other = section.get(option.name);
    if (other === undefined) section.set(option.name, option);
    else {
      problems.push(
        `${label(option)} is declared by ${other.declaredBy} and by ${option.declaredBy}; one of them must rename it`,
      );
    }
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
  return merged;
}

function optionsOf({ declaredBy, sections }: SectionSource): Option[] {
  return Object.entries(sections).flatMap(([section, { properties }]) =>
    Object.entries(properties).map(([name, schema]) => ({ section, name, schema, declaredBy })),
  );
}

export const allOptions = (options: Options): Option[] =>
  [...options.values()].flatMap((section) => [...section.values()]);

export const findOption = (options: Options, section: string, name: string): Option | undefined =>
  options.get(section)?.get(name);

/** Returns the option that formerly had this name. */
export const findRenamed = (options: Options, section: string, name: string): Option | undefined =>
  options
    .get(section)
    ?.values()
    .find(({ schema }) => schema.formerly?.includes(name));

/** Whether the option's value is never shown. An enumeration is not a secret, whatever its name. */
export const isSecretOption = ({ name, schema }: Option): boolean =>
  isSecretKey(name) && schema.type === 'string' && schema.enum === undefined;

/** Returns a label such as `[api] port`. */
export const label = (option: Pick<Option, 'section' | 'name'>) => `[${option.section}] ${option.name}`;

/** Returns a name such as `IRONIC_API__PORT`. */
export const environmentVariable = (option: Pick<Option, 'section' | 'name'>) =>
  `IRONIC_${option.section}__${option.name}`.toUpperCase();
