// What an operator still has to do so that the daemon uses an installed plugin.
import type { Config } from '../../config/sections/core-sections.ts';
import { interfaceTypes } from '../../model/machine/interface-types.ts';
import { hyphenated } from '../../plugin-host/hook-names.ts';
import type { Plugin } from '../../plugin-host/manifests/manifest.ts';

interface Site {
  readonly config: Config;
  /** The configuration file; undefined if there is none yet. */
  readonly file: string | undefined;
}

interface Setting {
  readonly section: 'DEFAULT' | 'inspector';
  readonly option: string;
  readonly current: readonly string[];
  /** Names of the plugin that the option does not list. */
  readonly missing: readonly string[];
}

/** Whether the configuration enables none of the hardware types, drivers and hooks of the plugin. */
export function isUnused({ manifest }: Plugin, { config }: Pick<Site, 'config'>): boolean {
  const { 'ironic.drivers': drivers = {}, 'ironic.inspection.hooks': hooks = {} } =
    manifest.entryPoints ?? {};
  const enabled = new Set([
    ...config.DEFAULT.enabled_hardware_types,
    ...config.DEFAULT.enabled_drivers,
    ...config.inspector.hooks.map(hyphenated),
  ]);
  const own = [manifest.hardwareTypes ?? {}, drivers, hooks].flatMap((names) => Object.keys(names));
  return own.length > 0 && !own.some((name) => enabled.has(hyphenated(name)) || enabled.has(name));
}

/** Returns lines. `canReload`: whether the running daemon knows the plugin's options. */
export function nextSteps(plugin: Plugin, site: Site, canReload: boolean): string {
  const settings = settingsFor(plugin, site.config);
  if (settings.length === 0)
    return canReload
      ? `It takes effect when the daemon starts the next time, or now with: ironic-edge plugin reload ${plugin.manifest.name}\n`
      : 'It takes effect when the daemon starts the next time; with the systemd unit: systemctl restart ironic-edge\n';
  const lines = Object.entries(Object.groupBy(settings, ({ section }) => section)).flatMap(
    ([section, group]) => [
      `       [${section}]`,
      ...group.map(
        ({ option, current, missing }) => `       ${option} = ${[...current, ...missing].join(',')}`,
      ),
    ],
  );
  return [
    'To use it:',
    `  1. In ${site.file ?? '/etc/ironic-edge/ironic.conf'}, set what you need of:`,
    ...lines,
    '  2. Restart the daemon; with the systemd unit: systemctl restart ironic-edge',
    '',
  ].join('\n');
}

/** The options that do not list what the plugin provides. */
function settingsFor({ manifest }: Plugin, { DEFAULT, inspector }: Config): readonly Setting[] {
  const { entryPoints = {}, hardwareTypes = {} } = manifest;
  const setting = (
    option: string,
    current: readonly string[],
    provided: object = {},
    section: Setting['section'] = 'DEFAULT',
  ): Setting => {
    const known = new Set(current.map(hyphenated));
    const missing = Object.keys(provided).filter((name) => !known.has(hyphenated(name)));
    return { section, option, current, missing };
  };
  const interfaces = interfaceTypes.map((type) => {
    const option = `enabled_${type}_interfaces` as const;
    const current = DEFAULT[option];
    // an empty list enables all interfaces
    const provided = current.length === 0 ? {} : entryPoints[`ironic.hardware.interfaces.${type}`];
    return setting(option, current, provided);
  });
  return [
    setting('enabled_hardware_types', DEFAULT.enabled_hardware_types, hardwareTypes),
    setting('enabled_drivers', DEFAULT.enabled_drivers, entryPoints['ironic.drivers']),
    ...interfaces,
    withDefaultHooks(
      setting('hooks', inspector.hooks, entryPoints['ironic.inspection.hooks'], 'inspector'),
      inspector.default_hooks,
    ),
  ].filter(({ missing }) => missing.length > 0);
}

/** Writes `$default_hooks` in place of its hooks, as it stands in the file. */
function withDefaultHooks(setting: Setting, defaults: string): Setting {
  const isDefault = defaults.replaceAll(' ', '') === setting.current.join(',');
  return isDefault ? { ...setting, current: ['$default_hooks'] } : setting;
}
