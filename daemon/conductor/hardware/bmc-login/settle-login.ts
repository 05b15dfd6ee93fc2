// Finds out which login a BMC takes after it was being given a new one. Each login is tried once, because BMCs lock users out; and
// which one was tried is stored before, so that a crash makes the daemon try the other one first.
import type { PendingBmcPassword } from '../../../db/tables/pending-bmc-passwords.ts';
import { fault, reasonOf } from '../../../model/faults.ts';
import { withTaskIfFree } from '../../tasks/run-task.ts';
import { operationOf } from '../on-interface.ts';
import type { HardwareServices, HardwareTask } from '../services.ts';
import { bmcLoginOf, infoWithLogin, loginKeys } from './stored-login.ts';

/** After a restart, finds out for each BMC that was being given a login which one it takes. Failures are logged. */
export function settleBmcLogins(services: HardwareServices): void {
  for (const uuid of services.db.pendingBmcPasswords.nodes())
    withTaskIfFree(services, uuid, settleLogin).catch((error: unknown) =>
      services.log.error({ node: uuid, error }, 'the login of the BMC could not be settled'),
    );
}

/**
 * Finds out whether the BMC takes the pending login, and then makes it the login. Resolves to whether it does; to false if there is
 * none. Throws BmcPasswordUnknown, or BmcPasswordPending when the BMC does not answer; the pending login then stays.
 */
export async function settleLogin(task: HardwareTask): Promise<boolean> {
  const { uuid, name } = task.node;
  const { pendingBmcPasswords: table } = task.services.db;
  const pending = table.of(uuid);
  if (pending === undefined) return false;
  const taken = await (pending.username === null ? takenPassword : takenUser)(task, pending);
  if (taken === 'neither') {
    const { password: option } = loginKeys(task);
    throw fault('BmcPasswordUnknown', { node: name ?? uuid, option });
  }
  if (taken === 'current') table.remove(uuid);
  else
    task.transaction(() => {
      task.store({ driver_info: infoWithLogin(task.node, loginKeys(task), pending) });
      table.remove(uuid);
    });
  if (taken === 'pending') task.log.info({}, 'the BMC has a new login');
  return taken === 'pending';
}

/** Says that the BMC has refused the pending login, so that it is not the first that is tried. */
export const doubtPending = (task: HardwareTask): void =>
  task.services.db.pendingBmcPasswords.markTried(task.node.uuid, 'pending');

type Taken = 'pending' | 'current' | 'neither';

/** Which of its two passwords the user of the daemon has. Exactly one is right, so that either order finds it. */
async function takenPassword(task: HardwareTask, { password, tried }: PendingBmcPassword): Promise<Taken> {
  const login = bmcLoginOf(task);
  const passwords = { pending: password, current: login.password ?? '' };
  const order = tried === 'pending' ? (['current', 'pending'] as const) : (['pending', 'current'] as const);
  for (const each of order)
    if (await isTaken(task, each, [login.username ?? '', passwords[each]])) return each;
  return 'neither';
}

/**
 * Whether the BMC has the other user with its password. The old login works in either case, so that the password of a user that was
 * tried before is not tried again: the user then gets another one.
 */
async function takenUser(
  task: HardwareTask,
  { username, password, tried }: PendingBmcPassword,
): Promise<Taken> {
  const isRight = tried === null && (await isTaken(task, 'pending', [username ?? '', password]));
  return isRight ? 'pending' : 'current';
}

async function isTaken(
  task: HardwareTask,
  which: 'pending' | 'current',
  [username, password]: readonly [string, string],
): Promise<boolean> {
  const check = operationOf(task, 'management', 'checkPassword', 'bmc_password');
  const { uuid, name } = task.node;
  task.services.db.pendingBmcPasswords.markTried(uuid, which);
  try {
    return await check(password, username);
  } catch (error) {
    const reason = reasonOf(error).replace(/\.$/, '');
    throw fault('BmcPasswordPending', { node: name ?? uuid, reason }, { cause: error });
  }
}
