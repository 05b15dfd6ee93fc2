// The values of a node's `fault` field: why the daemon has put the node into maintenance.

export const POWER_FAILURE = 'power failure';

export const nodeFaults: readonly string[] = [
  POWER_FAILURE,
  'clean failure',
  'rescue abort failure',
  'service failure',
];
