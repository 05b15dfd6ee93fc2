// The interface types of which a node's driver is composed.

export const interfaceTypes = [
  'bios',
  'boot',
  'console',
  'deploy',
  'firmware',
  'inspect',
  'management',
  'network',
  'power',
  'raid',
  'rescue',
  'storage',
  'vendor',
] as const;
export type InterfaceType = (typeof interfaceTypes)[number];

export type InterfaceField = `${InterfaceType}_interface`;

export const interfaceField = (type: InterfaceType): InterfaceField => `${type}_interface`;

export const interfaceFields: readonly InterfaceField[] = interfaceTypes.map(interfaceField);

export const byInterfaceType = <T>(value: (type: InterfaceType) => T): Readonly<Record<InterfaceType, T>> =>
  Object.fromEntries(interfaceTypes.map((type) => [type, value(type)])) as Record<InterfaceType, T>;
