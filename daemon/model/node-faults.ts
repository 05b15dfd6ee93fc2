// What the field `fault` of a node may say: why the daemon itself put it in maintenance.

export const POWER_FAILURE = 'power failure';

export const nodeFaults: readonly string[] = [
  POWER_FAILURE,
  'clean failure',
  'rescue abort failure',
  'service failure',
];
