// The power states of a node, and the targets that can be requested.

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

/** Returns the power state of a node that has reached the target. */
export function resultOf(target: PowerTarget): 'power on' | 'power off' {
  return target === 'power off' || target === 'soft power off' ? 'power off' : 'power on';
}

const FAILURE = 'Failed to change power state';

/** What is recorded as `last_error` when a power action fails. */
export const powerFailure = (target: PowerTarget, reason: string): string =>
  `${FAILURE} to "${target}": ${reason}`;

export const isPowerFailure = (error: string): boolean => error.startsWith(FAILURE);

/** Whether the target asks the operating system to shut down: `soft power off` and `soft rebooting`, since API 1.27. */
export const isSoft = (target: PowerTarget): boolean => target.startsWith('soft ');
