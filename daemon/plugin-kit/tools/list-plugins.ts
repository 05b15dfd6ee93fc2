// The output of `ironic-edge plugin list`: every plugin with what it provides, and the folders set aside.
import type { Discovery } from '../../plugin-host/manifests/discover.ts';
import type { Plugin } from '../../plugin-host/manifests/manifest.ts';
import type { Registry } from '../../plugin-host/registry.ts';
import { changedFiles, originOf } from '../shipping/plugin-store.ts';

/** Returns the text; names in `registry` are marked with `*`. `registry` is undefined when loading failed. */
export function listPlugins(discovery: Discovery, registry: Registry | undefined): string {
  const loaded = registry === undefined ? new Set<string>() : loadedNames(registry);
  const lines = discovery.plugins.flatMap((plugin) => describe(plugin, loaded));
  const aside = discovery.setAside.map(({ folder, reason }) => `set aside: ${folder}\n    ${reason}`);
  return `${[...lines, ...aside, '', '* enabled and loaded'].join('\n')}\n`;
}

function describe({ folder, isInTree, manifest }: Plugin, loaded: ReadonlySet<string>): readonly string[] {
  const provided = [
    ['hardware types', Object.keys(manifest.hardwareTypes ?? {})] as const,
    ...Object.entries(manifest.entryPoints ?? {}).map(
      ([group, entries]) => [labelOf(group), Object.keys(entries)] as const,
    ),
  ];
  return [
    `${manifest.name} ${manifest.version}: ${manifest.summary}`,
    `    ${folder}`,
    ...(isInTree ? [] : provenance(folder)),
    ...provided
      .filter(([, names]) => names.length > 0)
      .map(
        ([label, names]) => `    ${label}: ${names.map((name) => marked(label, name, loaded)).join(', ')}`,
      ),
    ...Object.keys(manifest.configuration ?? {}).map((section) => `    options in [${section}]`),
  ];
}

function provenance(folder: string): readonly string[] {
  const origin = originOf(folder);
  if (origin === undefined) return [];
  const signer = origin.signer === null ? 'not signed' : `signed by ${origin.signer}`;
  const changed = changedFiles(folder);
  return [
    `    installed ${origin.installed_at} from ${origin.origin}, ${signer}`,
    ...(changed.length > 0 ? [`    changed since its installation: ${changed.join(', ')}`] : []),
  ];
}

const marked = (label: string, name: string, loaded: ReadonlySet<string>) =>
  `${loaded.has(`${label} ${name}`) ? '*' : ''}${name}`;

const labels: Readonly<Record<string, string>> = {
  'ironic.inspection.hooks': 'hooks',
  'ironic.drivers': 'classic drivers',
};

const labelOf = (group: string) =>
  labels[group] ?? `${group.slice('ironic.hardware.interfaces.'.length)} interfaces`;

const loadedNames = (registry: Registry): ReadonlySet<string> => {
  const { hardwareTypes, classicDrivers, hooks, ownHooks, interfaces } = registry;
  return new Set([
    ...[...hardwareTypes.keys()].map((name) => `hardware types ${name}`),
    ...[...classicDrivers.keys()].map((name) => `classic drivers ${name}`),
    ...[...hooks, ...[...ownHooks.values()].flat()].map(({ name }) => `hooks ${name}`),
    ...[...interfaces.keys()].map((key) => key.replace(':', ' interfaces ')),
  ]);
};
