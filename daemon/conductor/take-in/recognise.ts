// Which expected machine a BMC belongs to, and who says so: what was seen of the BMC, or a ramdisk that says to run in its machine.
import type { ReceivedBmcLogin } from '../../db/tables/zero-touch/bmc-logins.ts';
import type { ExpectedMachine } from '../../model/zero-touch/expected-machine.ts';
import type { FoundBmc } from '../../model/zero-touch/found-bmc.ts';
import { expectedFor, expectedForClaim } from './expected-machines.ts';
import { Stopped } from './stopped.ts';
import type { TakeInServices } from './services.ts';

interface Recognised {
  readonly expected: ExpectedMachine;
  /** The claim whose login is to be tried; undefined: that of the operator. */
  readonly claim: ReceivedBmcLogin | undefined;
  /** Whether only the claim says which machine it is. No login of an operator is sent to a BMC because a stranger says so. */
  readonly byClaim: boolean;
}

/** Throws Stopped when no expected machine is the one, or when several could be. */
export function recognise(
  services: TakeInServices,
  bmc: FoundBmc & { readonly address: string },
): Recognised {
  const known = expectedFor(services, bmc);
  if (known !== undefined && known.bmc_password !== null)
    return { expected: known, claim: undefined, byClaim: false };
  let doubt: unknown;
  for (const claim of services.db.bmcLogins.inTurn(bmc.address)) {
    try {
      const expected = known ?? expectedForClaim(services, claim);
      if (expected !== undefined) return { expected, claim, byClaim: known === undefined };
    } catch (error) {
      // somebody else may claim less
      doubt = error;
    }
  }
  if (doubt !== undefined) throw doubt;
  if (known !== undefined) return { expected: known, claim: undefined, byClaim: false };
  throw new Stopped('no expected machine matches it: accept it, or add it to the list of expected machines');
}

/** Whether a login that a ramdisk has made lets the machine go on. */
export function waitsForLogin(services: TakeInServices, bmc: FoundBmc): boolean {
  if (bmc.node_uuid !== null) return false;
  try {
    return (expectedFor(services, bmc)?.bmc_password ?? null) === null;
  } catch (error) {
    if (error instanceof Stopped) return false;
    throw error;
  }
}
