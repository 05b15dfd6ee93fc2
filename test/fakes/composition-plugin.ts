// The hardware types of the driver composition specification, with interfaces that do nothing.
import { discoverPlugins } from '../../daemon/plugin-host/manifests/discover.ts';
import { interfaceTypes, type InterfaceType } from '../../daemon/model/machine/interface-types.ts';
import { pluginFolder, pluginManifest } from './plugin-folder.ts';

const NAMES: Readonly<Partial<Record<InterfaceType, readonly string[]>>> = {
  power: ['ipmitool', 'ipminative', 'ilo', 'redfish'],
  inspect: ['inspector', 'ilo'],
  boot: ['ipxe', 'vmedia_ilo'],
};

const hardwareTypes = {
  'composition-generic': {
    extends: 'generic',
    supported: { inspect: ['no-inspect', 'inspector'], boot: ['ipxe'], management: ['noop'] },
  },
  'generic-ipmi': { extends: 'composition-generic', supported: { power: ['ipmitool', 'ipminative'] } },
  'ilo-gen8': {
    extends: 'generic-ipmi',
    supported: { power: ['...', 'ilo'], inspect: ['...', 'ilo'], boot: ['vmedia_ilo', '...'] },
  },
  'ilo-gen9': { extends: 'ilo-gen8', supported: { power: ['...', 'redfish'] } },
};

const code = `import { defineInspect, defineInterface, definePower } from '#plugin-api';
const base = { properties: {}, validate() {} };
export const power = definePower({
  ...base, supportedTargets: ['power on', 'power off'], supportsPowerSync: false,
  getPowerState: async () => 'power on', setPowerState: async () => undefined,
});
export const inspect = defineInspect({ ...base, inspectHardware: async () => 'manageable' });
export const boot = defineInterface(base);
`;

/** Writes the plugin and returns its search path. The plugin omits interfaces that the daemon's own plugins provide. */
export function compositionPlugin(test: Parameters<typeof pluginFolder>[0]): string {
  const inTree = discoverPlugins([new URL('../../plugins', import.meta.url).pathname]).plugins;
  const entryPoints = interfaceTypes.flatMap((type) => {
    const names = NAMES[type] ?? [];
    const group = `ironic.hardware.interfaces.${type}` as const;
    const taken = new Set(inTree.flatMap(({ manifest }) => Object.keys(manifest.entryPoints?.[group] ?? {})));
    const own = names.filter((name) => !taken.has(name));
    return own.length === 0
      ? []
      : [[group, Object.fromEntries(own.map((name) => [name, `./interfaces.ts:${type}`]))]];
  });
  return pluginFolder(test, {
    'composition/plugin.json': pluginManifest('composition', {
      entryPoints: Object.fromEntries(entryPoints) as object,
      hardwareTypes,
    }),
    'composition/interfaces.ts': code,
  });
}

/** The specification's configuration, with the boot interfaces of its example patch. */
export const compositionOptions = (searchPath: string) => `
enabled_hardware_types = generic-ipmi,ilo-gen8,ilo-gen9
enabled_power_interfaces = ipmitool,ipminative,ilo,redfish
enabled_inspect_interfaces = inspector,ilo
enabled_boot_interfaces = ipxe,vmedia_ilo
[plugins]
path = ${searchPath}
`;
