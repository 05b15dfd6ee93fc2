// Power states a node can have and the targets that may be asked of it.

export const powerStates = ['power on', 'power off', 'error'] as const;
export type PowerState = (typeof powerStates)[number];

export const powerTargets = [
  'power on',
  'power off',
  'rebooting',
  'soft rebooting',
  'soft power off',
] as const;
export type PowerTarget = (typeof powerTargets)[number];

/** The state a node has once the target is reached. */
export function resultOf(target: PowerTarget): 'power on' | 'power off' {
  return target === 'power off' || target === 'soft power off' ? 'power off' : 'power on';
}

/** `soft power off` and `soft rebooting` ask the operating system; they came with API 1.27. */
export const isSoft = (target: PowerTarget): boolean => target.startsWith('soft ');
