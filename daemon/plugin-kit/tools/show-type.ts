// The output of `ironic-edge plugin show TYPE`: the interfaces of a hardware type, and the plugin that each comes from.
import { interfaceTypes } from '../../model/machine/interface-types.ts';
import { declaredTypes } from '../../plugin-host/enabled-types.ts';
import type { Discovery } from '../../plugin-host/manifests/discover.ts';
import { expandSupported } from '../../plugin-host/manifests/hardware-types.ts';

/** Returns the text, with interfaces in order of preference. Throws an Error for an unknown hardware type. */
export function showType({ plugins }: Discovery, name: string): string {
  const declared = declaredTypes({ plugins });
  const type = declared.get(name);
  if (type === undefined) {
    const known = [...declared.keys()].toSorted().join(', ');
    throw new Error(`there is no hardware type ${name}; expected one of ${known}`);
  }
  const supported = expandSupported(name, declared);
  const providers = new Map(
    plugins.flatMap(({ manifest }) =>
      Object.entries(manifest.entryPoints ?? {}).flatMap(([group, entries]) =>
        Object.keys(entries).map((one) => [`${group}:${one}`, manifest.name] as const),
      ),
    ),
  );
  const { extends: base } = type.manifest;
  const rows = interfaceTypes.map((kind) => {
    const names = supported[kind].map((one) => {
      const provider = providers.get(`ironic.hardware.interfaces.${kind}:${one}`);
      return `${one} (${provider ?? 'no plugin has it'})`;
    });
    return `  ${kind.padEnd(10)}  ${names.join(', ') || 'none'}\n`;
  });
  const origin = `hardware type ${name} of plugin ${type.plugin.manifest.name}`;
  return `${origin}${base === undefined ? '' : `, extends ${base}`}\n${rows.join('')}`;
}
