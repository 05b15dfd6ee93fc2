// What a new machine goes through between the first sight of its BMC and `available`.

export const stages = [
  'seen',
  'identified',
  'login',
  'managed',
  'inspected',
  'compared',
  'prepared',
  'available',
] as const;
export type Stage = (typeof stages)[number];

/** The stages after which a hardware class may let its machines wait. */
export const stopStages = [
  'login',
  'managed',
  'inspected',
  'compared',
  'prepared',
] as const satisfies readonly Stage[];
export type StopStage = (typeof stopStages)[number];
