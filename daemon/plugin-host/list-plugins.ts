// What `ironic-edge plugin list` says: every plugin with what it provides, and what is set aside.
import type { Config } from '../config/core-sections.ts';
import { interfaceTypes } from '../model/interface-types.ts';
import type { Discovery } from './discover.ts';
import { hardwareTypesOf } from './enabled-types.ts';
import { createEntryPoints } from './entry-points.ts';
import type { Plugin } from './manifest.ts';

/** A `*` stands before what is enabled. Throws as the start of the daemon does. */
export function listPlugins(discovery: Discovery, config: Config): string {
  const enabled = enabledNames(discovery, config);
  const lines = discovery.plugins.flatMap((plugin) => describe(plugin, enabled));
  const aside = discovery.setAside.map(({ folder, reason }) => `set aside: ${folder}\n    ${reason}`);
  return `${[...lines, ...aside, '', '* enabled'].join('\n')}\n`;
}

function describe({ folder, manifest }: Plugin, enabled: ReadonlySet<string>): readonly string[] {
  const marked = (group: string, names: readonly string[]) =>
    names.map((name) => `${enabled.has(`${group} ${name}`) ? '*' : ''}${name}`).join(', ');
  const types = Object.keys(manifest.hardwareTypes ?? {});
  const provided = Object.entries(manifest.entryPoints ?? {}).map(([group, entries]) => {
    const label = labelOf(group);
    return `    ${label}: ${marked(label, Object.keys(entries))}`;
  });
  return [
    `${manifest.name} ${manifest.version}: ${manifest.summary}`,
    `    ${folder}`,
    ...(types.length === 0 ? [] : [`    hardware types: ${marked('hardware types', types)}`]),
    ...provided,
    ...Object.keys(manifest.configuration ?? {}).map((section) => `    options in [${section}]`),
  ];
}

const labels: Readonly<Record<string, string>> = {
  'ironic.inspection.hooks': 'hooks',
  'ironic.drivers': 'classic drivers',
};

const labelOf = (group: string) =>
  labels[group] ?? `${group.slice('ironic.hardware.interfaces.'.length)} interfaces`;

function enabledNames(discovery: Discovery, config: Config): ReadonlySet<string> {
  const points = createEntryPoints(discovery);
  const { hardwareTypes, enabledInterfaces } = hardwareTypesOf(discovery, config, points);
  return new Set([
    ...[...hardwareTypes.keys()].map((name) => `hardware types ${name}`),
    ...config.DEFAULT.enabled_drivers.map((name) => `classic drivers ${name}`),
    ...config.inspector.hooks.map((name) => `hooks ${name}`),
    ...interfaceTypes.flatMap((type) => enabledInterfaces[type].map((name) => `${type} interfaces ${name}`)),
  ]);
}
