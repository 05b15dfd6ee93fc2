// Gives a BMC a login of its own, safe against a crash at any moment: the new login is stored as pending before the BMC hears of it,
// and replaces the old one only when the BMC has accepted it.
import { Fault, fault } from '../../../model/faults.ts';
import { withTask } from '../../tasks/run-task.ts';
import type { Call } from '../../tasks/services.ts';
import { operationOf } from '../on-interface.ts';
import type { HardwareServices, HardwareTask } from '../services.ts';
import { newPassword, passwordForms } from './new-password.ts';
import { doubtPending, settleLogin } from './settle-login.ts';
import { bmcAddressIn, bmcLoginOf, loginKeys, refuseSharedLogin } from './stored-login.ts';

/** What IPMI takes, and what needs no quotes anywhere. */
const USERNAME = /^[A-Za-z][A-Za-z0-9._-]{0,15}$/;

/**
 * Gives the BMC an administrator `username` with a random password, and stores that login in driver_info; null: gives a random
 * password to the user as whom the daemon logs in. Throws BmcUsernameInvalid, UnsupportedDriverExtension, BmcLoginShared,
 * BmcCredentialsRefused, BmcPasswordRefused, BmcPasswordPending, BmcPasswordUnknown, or the fault of the BMC. After
 * BmcPasswordPending and BmcPasswordUnknown the new password is kept as pending; after all others the BMC takes the login in
 * driver_info.
 */
export const makeBmcLogin = (
  call: Call<HardwareServices>,
  uuid: string,
  username: string | null,
): Promise<void> =>
  withTask(call, uuid, async (task) => {
    if (username !== null && !USERNAME.test(username)) throw fault('BmcUsernameInvalid', { username });
    const setPassword = operationOf(task, 'management', 'setPassword', 'bmc_password');
    await task.driver.management.validate(task.view);
    refuseSharedLogin(task, username ?? bmcLoginOf(task).username);
    await settleLogin(task);
    await refuseWrongLogin(task);
    const change = () => give(task, null, setPassword);
    if (username === null || username === bmcLoginOf(task).username) return change();
    const makeUser = operationOf(task, 'management', 'makeUser', 'bmc_password');
    const make = () => give(task, username, (password) => makeUser(username, password));
    try {
      await make();
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'BmcPasswordChangeRequired')) throw error;
      await change();
      await make();
    }
  });

/** Throws BmcCredentialsRefused, or the fault of a BMC that does not answer: with a wrong login, nothing could be changed. */
async function refuseWrongLogin(task: HardwareTask): Promise<void> {
  const check = operationOf(task, 'management', 'checkPassword', 'bmc_password');
  const { username, password } = bmcLoginOf(task);
  if (await check(password ?? '', username ?? '')) return;
  const reason = `it does not take driver_info/${loginKeys(task).password}`;
  throw fault('BmcCredentialsRefused', { ...bmcOf(task), reason });
}

const bmcOf = (task: HardwareTask) => ({
  operation: 'Changing the login of the BMC',
  node: task.node.uuid,
  address: bmcAddressIn(task),
});

/** Gives the user (null: the daemon's) a new password with `send`, in the first form of a password that the BMC takes. */
async function give(
  task: HardwareTask,
  username: string | null,
  send: (password: string) => Promise<void>,
): Promise<void> {
  const { db } = task.services;
  const user = username ?? bmcLoginOf(task).username ?? '';
  let refusal: unknown;
  for (const form of passwordForms) {
    const password = newPassword(user, form);
    db.pendingBmcPasswords.insert(task.node.uuid, { username, password });
    refusal = await send(password).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refusal instanceof Fault && REFUSALS.has(refusal.code)) doubtPending(task);
    if (await settleLogin(task)) return;
    if (!(refusal instanceof Fault && refusal.code === 'BmcPasswordRefused')) break;
  }
  const reason = 'it said that it took the new login, but takes only the old one';
  throw refusal ?? fault('BmcFailure', { ...bmcOf(task), reason });
}

/** The faults with which a BMC has answered, and has most likely changed nothing. */
const REFUSALS: ReadonlySet<string> = new Set([
  'BmcRefused',
  'BmcCredentialsRefused',
  'BmcPasswordChangeRequired',
  'BmcPasswordRefused',
]);
