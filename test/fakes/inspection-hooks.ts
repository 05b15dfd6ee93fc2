// All built-in inspection hooks with their default options, and the reports for their tests.
import { readdirSync, readFileSync } from 'node:fs';
import type { Configuration, InspectionHook, JsonObject } from '#plugin-api';
import type { NamedHook } from '../../ramdisk-callback/hooks/run-hooks.ts';

/** All hooks, in an order that satisfies the dependencies of each. */
export const ALL_HOOKS = [
  'ramdisk-error',
  'validate-interfaces',
  'ports',
  'architecture',
  'accelerators',
  'boot-mode',
  'cpu-capabilities',
  'cpus',
  'extra-hardware',
  'local-link-connection',
  'memory',
  'parse-lldp',
  'pci-devices',
  'physical-network',
  'raid-device',
  'root-device',
];

const folder = new URL('../../plugins/inspection/', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('plugin.json', folder), 'utf8')) as {
  readonly entryPoints: { readonly 'ironic.inspection.hooks': Readonly<Record<string, string>> };
  readonly configuration: {
    readonly inspector: { readonly properties: Readonly<Record<string, { readonly default?: unknown }>> };
  };
};

export function loadAllHooks(): Promise<readonly NamedHook[]> {
  return Promise.all(
    ALL_HOOKS.map(async (name) => {
      const [file = '', exported = ''] =
        manifest.entryPoints['ironic.inspection.hooks'][name]?.split(':') ?? [];
      const module = (await import(new URL(file, folder).href)) as Readonly<Record<string, InspectionHook>>;
      const hook = module[exported];
      if (hook === undefined) throw new Error(`there is no hook ${name}`);
      return { name, hook };
    }),
  );
}

const defaults = Object.fromEntries(
  Object.entries(manifest.configuration.inspector.properties).map(([name, option]) => [
    name,
    option.default ?? null,
  ]),
);

export const hookConfiguration = (inspector: Readonly<Record<string, unknown>> = {}): Configuration => ({
  inspector: { ...defaults, ...inspector },
});

const reports = new URL('../fixtures/inspection/', import.meta.url);

/** The ramdisk reports among the fixtures, by file name without `.json`. */
export const inspectionReports = (): Readonly<Record<string, JsonObject>> =>
  Object.fromEntries(
    readdirSync(reports).map((file) => [
      file.replace(/\.json$/, ''),
      JSON.parse(readFileSync(new URL(file, reports), 'utf8')) as JsonObject,
    ]),
  );
