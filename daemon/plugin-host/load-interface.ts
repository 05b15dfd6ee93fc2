// Loads an interface by its name. An interface that extends a base interface is made from the base, even if the two belong to
// different plugins.
import type { InterfaceType } from '../model/machine/interface-types.ts';
import type { DriverInterface, Extension } from '../plugin-api/index.ts';
import { interfaceProblems } from './contract/export-problems.ts';
import { guard, type GuardedBy } from './contract/guard.ts';
import type { EntryPoints } from './manifests/entry-points.ts';

export interface Wanted {
  readonly type: InterfaceType;
  readonly name: string;
  /** The option or hardware type that names the interface. */
  readonly asked: string;
}

/** Throws an Error that names the interface or its entry point, and the cause. */
export async function loadInterface(
  points: EntryPoints,
  wanted: Wanted,
  by: GuardedBy,
): Promise<DriverInterface> {
  const { plugin, value } = await loadUnguarded(points, wanted, by);
  return guard(value, { type: wanted.type, name: wanted.name, plugin }, by);
}

/** Like `loadInterface`, but does not guard the interface itself. The interfaces that it extends are guarded. */
export async function loadUnguarded(
  points: EntryPoints,
  { type, name, asked }: Wanted,
  by: GuardedBy,
  extending: readonly string[] = [],
): Promise<{ readonly plugin: string; readonly value: DriverInterface }> {
  const { plugin, value } = await points.load(`ironic.hardware.interfaces.${type}`, name, asked);
  if (!isExtension(value)) return { plugin, value: value as DriverInterface };
  const chain = [...extending, name];
  if (chain.includes(value.extends))
    throw new Error(`${type} interface ${name} of plugin ${plugin} extends itself: ${chain.join(', ')}.`);
  const base = { type, name: value.extends, asked: `${type} interface ${name}` };
  const inner = await loadUnguarded(points, base, by, chain);
  const make = value.make as (base: DriverInterface) => DriverInterface | Promise<DriverInterface>;
  // for a plugin in a process of its own, `make` runs in that process
  const made = await make(guard(inner.value, { ...base, plugin: inner.plugin }, by));
  const [problem] = interfaceProblems(type, made as unknown as Readonly<Record<string, unknown>>);
  if (problem === undefined) return { plugin, value: made };
  throw new Error(`${type} interface ${name} of plugin ${plugin} ${problem}.`);
}

const isExtension = (value: object): value is Extension => 'extends' in value && 'make' in value;
