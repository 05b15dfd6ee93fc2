// Checks a plugin against the contract: its manifest, its exports, and how they behave without a machine.
import { realpathSync } from 'node:fs';
import { readConfig } from '../../config/read-config.ts';
import { reasonOf } from '../../model/faults.ts';
import { interfaceTypes, type InterfaceType } from '../../model/machine/interface-types.ts';
import type { DriverInterface, Task } from '../../plugin-api/index.ts';
import type { Discovery } from '../../plugin-host/manifests/discover.ts';
import { admitPlugins, pluginSections } from '../../plugin-host/manifests/admit-plugins.ts';
import { declaredTypes } from '../../plugin-host/enabled-types.ts';
import { createEntryPoints, type EntryPoints } from '../../plugin-host/manifests/entry-points.ts';
import { exportProblems } from '../../plugin-host/contract/export-problems.ts';
import { expandSupported } from '../../plugin-host/manifests/hardware-types.ts';
import { type EntryPointGroup, manifestReader, type Plugin } from '../../plugin-host/manifests/manifest.ts';
import { PLUGIN_API_VERSION } from '../../plugin-api/index.ts';
import { hyphenated } from '../../plugin-host/hook-names.ts';
import { hookOrderProblems } from './hook-order.ts';
import { rehearseHook } from './rehearse-hook.ts';
import { loadUnguarded } from '../../plugin-host/load-interface.ts';
import { checkNamedOptions } from '../../plugin-host/named-options.ts';
import { rehearsalGuard, rehearseInterface } from './rehearse-interface.ts';

const HOOKS = 'ironic.inspection.hooks';

/** What was checked, with a sentence for each breach of the contract. */
export interface Finding {
  readonly subject: string;
  readonly problems: readonly string[];
}

/**
 * Checks the plugin in `folder`, in this process: call `resolvePluginApi` first. `others`: the plugins it may build on.
 * Calls `begins` with the subject of each entry point before it checks the entry point.
 */
export async function checkPlugin(
  folder: string,
  others: readonly Plugin[],
  begins: (subject: string) => void = () => undefined,
): Promise<readonly Finding[]> {
  const manifest = 'plugin.json';
  try {
    const plugin = manifestReader(PLUGIN_API_VERSION)({ folder: realpathSync(folder), isInTree: false });
    const apart = others.filter((one) => realpathSync(one.folder) !== plugin.folder);
    const discovery = admitPlugins([...apart, plugin]);
    const { plugins, setAside } = discovery;
    if (setAside[0] !== undefined) throw new Error(setAside[0].reason);
    const points = createEntryPoints(discovery);
    const { values } = readConfig({
      configFile: undefined,
      environment: {},
      sections: pluginSections(plugins),
    });
    const types = hardwareTypeFindings(plugin, discovery, points);
    const code: Finding[] = [];
    for (const entry of entriesOf(plugin)) {
      begins(subjectOf(entry));
      code.push(await entryFinding(entry, points, values));
    }
    return [{ subject: manifest, problems: [] }, ...types, ...(await ordered(plugin, plugins, points, code))];
  } catch (error) {
    return [{ subject: manifest, problems: [reasonOf(error)] }];
  }
}

/** Returns the findings with the problems of the hooks' dependencies added. Checks only hooks that have no other problem. */
async function ordered(
  plugin: Plugin,
  plugins: readonly Plugin[],
  points: EntryPoints,
  findings: readonly Finding[],
): Promise<readonly Finding[]> {
  const names = Object.keys(plugin.manifest.entryPoints?.[HOOKS] ?? {});
  const sound = names.filter((name) => isSound(findings, name));
  const own = new Map(
    await Promise.all(
      sound.map(async (name) => {
        const { value } = await points.load(HOOKS, name, 'plugin.json');
        return [hyphenated(name), value] as const;
      }),
    ),
  );
  const provided = plugins.flatMap(({ manifest }) => Object.keys(manifest.entryPoints?.[HOOKS] ?? {}));
  const problems = new Map(
    sound.map((name) => [
      subjectOf({ group: HOOKS, name }),
      hookOrderProblems(hyphenated(name), own, provided),
    ]),
  );
  return findings.map((one) => ({
    ...one,
    problems: [...one.problems, ...(problems.get(one.subject) ?? [])],
  }));
}

const isSound = (findings: readonly Finding[], name: string): boolean =>
  findings.some(
    ({ subject, problems }) => subject === subjectOf({ group: HOOKS, name }) && problems.length === 0,
  );

function hardwareTypeFindings(plugin: Plugin, discovery: Discovery, points: EntryPoints): readonly Finding[] {
  const declared = declaredTypes(discovery);
  return Object.keys(plugin.manifest.hardwareTypes ?? {}).map((name) => {
    const supported = expandSupported(name, declared);
    const isBase = declared.values().some(({ manifest }) => manifest.extends === name);
    const missing = isBase ? [] : interfaceTypes.filter((type) => supported[type].length === 0);
    const unknown = interfaceTypes.flatMap((type) =>
      supported[type].flatMap((one) => unknownName(points, { type, name: one, hardwareType: name })),
    );
    return { subject: `hardware type ${name}`, problems: [...lacking(name, missing), ...unknown] };
  });
}

const lacking = (hardwareType: string, missing: readonly InterfaceType[]): readonly string[] =>
  missing.length === 0
    ? []
    : [
        `it supports no ${missing.join(', ')} interface; nodes need one of each type. Name them in hardwareTypes.${hardwareType}.supported of plugin.json, or extend a type that has them, such as generic`,
      ];

interface SupportedName {
  readonly type: InterfaceType;
  readonly name: string;
  readonly hardwareType: string;
}

function unknownName(points: EntryPoints, { type, name, hardwareType }: SupportedName): readonly string[] {
  try {
    const place = `plugin.json: hardwareTypes.${hardwareType}.supported.${type}`;
    points.require(`ironic.hardware.interfaces.${type}`, name, place);
    return [];
  } catch (error) {
    return [reasonOf(error)];
  }
}

interface Entry {
  readonly group: EntryPointGroup;
  readonly name: string;
}

const entriesOf = ({ manifest }: Plugin): readonly Entry[] =>
  Object.entries(manifest.entryPoints ?? {}).flatMap(([group, entries]) =>
    Object.keys(entries).map((name) => ({ group: group as EntryPointGroup, name })),
  );

const subjectOf = ({ group, name }: Entry): string =>
  `${group.replace('ironic.hardware.interfaces.', '').replace('ironic.', '')} ${name}`;

async function entryFinding(
  entry: Entry,
  points: EntryPoints,
  configuration: Task['configuration'],
): Promise<Finding> {
  const subject = subjectOf(entry);
  try {
    const { value, plugin } = await points.load(entry.group, entry.name, 'plugin.json');
    const shape = exportProblems(entry.group, value as Readonly<Record<string, unknown>>);
    const rehearsed = async () =>
      rehearse(entry, { value: await made(entry, value, points), plugin }, configuration);
    const problems = shape.length > 0 ? shape : await rehearsed();
    return { subject, problems };
  } catch (error) {
    return { subject, problems: [reasonOf(error)] };
  }
}

/** Returns the object of the entry point. For an extension, this is the interface that it makes from its base. */
async function made({ group, name }: Entry, value: object, points: EntryPoints): Promise<object> {
  if (!('extends' in value)) return value;
  const type = group.slice('ironic.hardware.interfaces.'.length) as InterfaceType;
  return (await loadUnguarded(points, { type, name, asked: 'plugin.json' }, rehearsalGuard())).value;
}

async function rehearse(
  { group, name }: Entry,
  { value, plugin }: { readonly value: object; readonly plugin: string },
  configuration: Task['configuration'],
): Promise<readonly string[]> {
  if (group === HOOKS) return rehearseHook(value, configuration);
  const interfaces =
    group === 'ironic.drivers'
      ? Object.entries(value as Record<InterfaceType, DriverInterface | string>).filter(isWritten)
      : [[group.slice('ironic.hardware.interfaces.'.length), value as DriverInterface] as const];
  const problems = await Promise.all(
    interfaces.map(async ([type, one]) => [
      ...namedOptionProblems(one, configuration),
      ...(await rehearseInterface(one, { type: type as InterfaceType, name, plugin }, configuration)),
    ]),
  );
  return problems.flat();
}

function namedOptionProblems(one: DriverInterface, configuration: Task['configuration']): readonly string[] {
  try {
    checkNamedOptions(one, configuration);
    return [];
  } catch (error) {
    return [reasonOf(error)];
  }
}

/** Whether the entry is an interface that the classic driver implements itself, not the name of an interface. */
const isWritten = (entry: [string, DriverInterface | string]): entry is [string, DriverInterface] =>
  typeof entry[1] !== 'string';
