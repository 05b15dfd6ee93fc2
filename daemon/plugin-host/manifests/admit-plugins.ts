// Decides which of the found plugins are used: names of plugins and of what they provide must be unique, and the first plugin
// with a name keeps it.
import { basename } from 'node:path';
import { thisMachine } from '../../config/machine.ts';
import { loadConfig } from '../../config/load.ts';
import type { SectionSource } from '../../config/options.ts';
import type { SectionSchemas } from '../../config/section-schema.ts';
import { coreSource } from '../../config/sections/core-sections.ts';
import { reasonOf } from '../../model/faults.ts';
import type { Plugin } from './manifest.ts';

export interface SetAside {
  readonly folder: string;
  readonly reason: string;
}

export interface Admission {
  readonly plugins: readonly Plugin[];
  readonly setAside: readonly SetAside[];
}

/**
 * Sets aside each plugin that provides what the daemon or an earlier plugin provides, or has an option whose default is not
 * allowed. In-tree plugins, and plugins whose folder has
 * their name, come first: `acme` before its copy `acme.bak`.
 */
export function admitPlugins(found: readonly Plugin[]): Admission {
  const core = optionsIn(coreSource(thisMachine()).sections);
  const owners = new Map(core.map((name) => [name, 'the daemon']));
  const plugins: Plugin[] = [];
  const setAside: SetAside[] = [];
  for (const plugin of namesakesFirst(found)) {
    const names = namesOf(plugin);
    const taken = names.find((name) => owners.has(name));
    const flaw =
      taken === undefined
        ? defaultsFlaw([...plugins, plugin])
        : `${taken} is already provided by ${owners.get(taken)}; remove or rename one`;
    if (flaw === undefined) {
      for (const name of names) owners.set(name, plugin.folder);
      plugins.push(plugin);
    } else setAside.push({ folder: plugin.folder, reason: `${plugin.folder}: ${flaw}` });
  }
  return { plugins, setAside };
}

/** Why the options of the last plugin cannot have their defaults; undefined if they can. */
function defaultsFlaw(plugins: readonly Plugin[]): string | undefined {
  const last = plugins.at(-1);
  if (last?.isInTree !== false || last.manifest.configuration === undefined) return undefined;
  try {
    loadConfig({
      file: undefined,
      environment: {},
      sections: pluginSections(plugins),
      machine: thisMachine(),
    });
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Returns the configuration sections that the plugins declare. */
export function pluginSections(plugins: readonly Plugin[]): readonly SectionSource[] {
  return plugins.map(({ manifest }) => ({
    declaredBy: `plugin ${manifest.name}`,
    sections: manifest.configuration ?? {},
  }));
}

const namesakesFirst = (plugins: readonly Plugin[]): readonly Plugin[] => [
  ...plugins.filter(isNamesake),
  ...plugins.filter((plugin) => !isNamesake(plugin)),
];

const isNamesake = ({ folder, manifest, isInTree }: Plugin): boolean =>
  isInTree || basename(folder) === manifest.name;

function namesOf({ manifest }: Plugin): readonly string[] {
  const entries = Object.entries(manifest.entryPoints ?? {}).flatMap(([group, names]) =>
    Object.keys(names).map((name) => [group, name] as const),
  );
  const drivers = entries.filter(([group]) => group === 'ironic.drivers').map(([, name]) => name);
  return [
    `the plugin name ${manifest.name}`,
    ...entries.filter(([group]) => group !== 'ironic.drivers').map(([group, name]) => `${name} in ${group}`),
    // a node's driver is a hardware type or a classic driver, so both share one set of names
    ...[...Object.keys(manifest.hardwareTypes ?? {}), ...drivers].map((name) => `the driver ${name}`),
    ...optionsIn(manifest.configuration ?? {}),
  ];
}

const optionsIn = (sections: SectionSchemas): readonly string[] =>
  Object.entries(sections).flatMap(([section, { properties }]) =>
    Object.keys(properties).map((name) => `the option [${section}] ${name}`),
  );
