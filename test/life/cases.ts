// All cases of `npm run life`, in the order in which they run.
import type { Case } from './case.ts';
import { agentInspections } from './cases/agent-inspection.ts';
import { firstMachine } from './cases/first-machine.ts';
import { lifeWithoutIpv4 } from './cases/ipv6.ts';
import { secureKexecs } from './cases/kexec-secure-boot.ts';
import { kexecs } from './cases/kexec.ts';
import { lostHops } from './cases/lost-hops.ts';
import { networkBoots } from './cases/network-boot.ts';
import { redfishBoots } from './cases/redfish-boot.ts';
import { volumeLives } from './cases/volume-life.ts';
import { ironicLives, wholeLives } from './cases/whole-life.ts';
import { wholeWays } from './cases/whole-way.ts';
import { zeroTouch } from './cases/zero-touch.ts';

export const cases: readonly Case[] = [
  ...networkBoots,
  ...redfishBoots,
  ...agentInspections,
  ...lostHops,
  firstMachine,
  zeroTouch,
  ...wholeLives,
  ...kexecs,
  ...secureKexecs,
  lifeWithoutIpv4,
  ...volumeLives,
  ...wholeWays,
];

/** The cases that run only when --only names them. */
export const rivalCases: readonly Case[] = ironicLives;
