// The tabs of a machine's page: the last segment of the path of each, and its label.

export const TABS = [
  ['', 'Overview'],
  ['hardware', 'Hardware'],
  ['sensors', 'Sensors'],
  ['work', 'Work'],
  ['console', 'Console'],
  ['logs', 'Logs'],
  ['settings', 'Settings'],
] as const;
/** The last two are reached from the menu of the head. */
export type TabName = (typeof TABS)[number][0] | 'indicators' | 'report';
