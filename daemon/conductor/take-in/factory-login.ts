// The login with which a BMC is asked for the first time. None is guessed, and none is tried often, because BMCs lock users out.
import { createHash } from 'node:crypto';
import type { ReceivedBmcLogin } from '../../db/tables/zero-touch/bmc-logins.ts';
import { timestamp } from '../../lib/clock.ts';
import { Fault } from '../../model/faults.ts';
import type { ExpectedMachine } from '../../model/zero-touch/expected-machine.ts';
import { Stopped } from './stopped.ts';
import type { TakeInServices } from './services.ts';

export interface FactoryLogin {
  readonly username: string;
  readonly password: string;
  /** Who says that a ramdisk has made it; not set: the operator gave it. */
  readonly sender?: string;
}

/** How long a login that the BMC has refused is not tried again. */
const PAUSE_MILLISECONDS = 3_600_000;
/** BMCs lock users out after three refused logins or more. Each sender of claims has one of them. */
const MOST_REFUSED = 3;

/**
 * Returns the login of the claim, or else the one that the operator gave. Throws Stopped when there is none, when the BMC has refused
 * it, or another one of the same sender, within the last hour, and when too many were tried.
 */
export function factoryLogin(
  { db, clock }: TakeInServices,
  address: string,
  from: { readonly expected: ExpectedMachine; readonly claim: ReceivedBmcLogin | undefined },
): FactoryLogin {
  const { bmc_username: username, bmc_password: password } = from.expected;
  const given = username === null || password === null ? undefined : { username, password };
  const login = from.claim ?? given;
  if (login === undefined)
    throw new Stopped(
      'no login of its BMC is known: add bmc_username and bmc_password to the expected machine, or boot the machine from the network, so that its ramdisk makes one',
    );
  const since = timestamp(clock.now() - PAUSE_MILLISECONDS);
  if (db.triedBmcLogins.attemptsSince(address, since) >= MOST_REFUSED)
    throw new Stopped(
      `its BMC has taken none of ${MOST_REFUSED} logins within an hour. So that it locks nobody out, it is not asked again before an hour is over: continue it then`,
    );
  for (const refused of [db.triedBmcLogins.refusedAt(address, hashOf(login)), from.claim?.refused_at])
    if (Date.parse(refused ?? '') + PAUSE_MILLISECONDS > clock.now()) throw refusedLogin(login, refused);
  return login;
}

function refusedLogin({ username, sender }: FactoryLogin, refusedAt?: string | null): Stopped {
  const until = timestamp(Date.parse(refusedAt ?? '') + PAUSE_MILLISECONDS);
  return new Stopped(
    sender === undefined
      ? `its BMC does not take the password that is known for user ${username}: correct the expected machine. So that the BMC locks nobody out, this password is not tried again before ${until}`
      : `its BMC does not take the password of user ${username} that was reported${sender === '' ? '' : ` from ${sender}`}: add bmc_username and bmc_password to the expected machine, or boot the machine again. No other password from there is tried before ${until}`,
  );
}

/** Runs `use`, which logs in once. Afterwards the login may be tried again, unless the BMC has refused it, or the daemon has ended. */
export async function tryingOnce<T>(
  { db, clock }: TakeInServices,
  address: string,
  { login, use }: { readonly login: FactoryLogin; readonly use: () => Promise<T> },
): Promise<T> {
  const hash = hashOf(login);
  const [now, since] = [clock.now(), clock.now() - PAUSE_MILLISECONDS].map(timestamp) as [string, string];
  db.triedBmcLogins.begin({ address, login: hash, now, since });
  try {
    const result = await use();
    db.triedBmcLogins.remove(address, hash);
    return result;
  } catch (error) {
    if (error instanceof Fault && error.code === 'BmcCredentialsRefused') {
      db.triedBmcLogins.refuse(address, hash);
      if (login.sender !== undefined) db.bmcLogins.refuse(address, login.sender, now);
      throw refusedLogin(login, now);
    }
    db.triedBmcLogins.remove(address, hash);
    throw error;
  }
}

const hashOf = ({ username, password }: FactoryLogin): string =>
  createHash('sha256')
    .update(JSON.stringify([username, password]))
    .digest('hex');
