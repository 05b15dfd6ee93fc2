// All cases of `npm run life`, in the order in which they run.
import type { Case } from './case.ts';
import { agentInspections } from './cases/agent-inspection.ts';
import { lostHops } from './cases/lost-hops.ts';
import { networkBoots } from './cases/network-boot.ts';
import { redfishBoots } from './cases/redfish-boot.ts';
import { ironicLives, wholeLives } from './cases/whole-life.ts';

export const cases: readonly Case[] = [
  ...networkBoots,
  ...redfishBoots,
  ...agentInspections,
  ...lostHops,
  ...wholeLives,
];

/** The cases that run only when --only names them. */
export const rivalCases: readonly Case[] = ironicLives;
