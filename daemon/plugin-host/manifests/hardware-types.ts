// Expands `extends` and `...` in the lists of interfaces that hardware types support.
import { byInterfaceType, type InterfaceType } from '../../model/machine/interface-types.ts';
import type { HardwareTypeManifest, Plugin } from './manifest.ts';

export type Supported = Readonly<Record<InterfaceType, readonly string[]>>;

export interface DeclaredType {
  readonly plugin: Plugin;
  readonly manifest: HardwareTypeManifest;
}

/** Returns interface names in order of preference, without duplicates. Throws for an unknown or cyclic `extends`. */
export function expandSupported(
  name: string,
  declared: ReadonlyMap<string, DeclaredType>,
  trail: readonly string[] = [],
): Supported {
  const type = declared.get(name);
  const user = trail.at(-1);
  if (type === undefined) {
    throw new Error(
      `${declared.get(user ?? '')?.plugin.folder}: hardware type ${user} extends ${name}, which no plugin provides`,
    );
  }
  if (trail.includes(name)) {
    throw new Error(
      `${type.plugin.folder}: hardware type ${name} extends itself: ${[...trail, name].join(' -> ')}`,
    );
  }
  const parent = type.manifest.extends;
  const base = parent === undefined ? undefined : expandSupported(parent, declared, [...trail, name]);
  return byInterfaceType((kind) => expandList(type.manifest.supported[kind], base?.[kind] ?? []));
}

function expandList(own: readonly string[] | undefined, base: readonly string[]): readonly string[] {
  if (own === undefined) return base;
  return [...new Set(own.flatMap((name) => (name === '...' ? base : [name])))];
}
