// The account service of the simulated BMC.
import type { JsonObject } from '../../../model/json.ts';
import type { FakeAccounts } from '../accounts.ts';
import { collection, link, typeOf } from './odata.ts';
import { ACCOUNTS, ROOT } from './paths.ts';

export function accountResources(accounts: FakeAccounts): Readonly<Record<string, JsonObject>> {
  const { shortest, longest, lockoutThreshold } = accounts.habits;
  const ids = [...accounts.all.keys()];
  return {
    [`${ROOT}/AccountService`]: {
      '@odata.type': typeOf('AccountService'),
      Id: 'AccountService',
      Name: 'Accounts',
      MinPasswordLength: shortest,
      MaxPasswordLength: longest,
      AccountLockoutThreshold: lockoutThreshold,
      Accounts: link(ACCOUNTS),
    },
    [ACCOUNTS]: collection(
      'ManagerAccount',
      ids.map((id) => `${ACCOUNTS}/${id}`),
    ),
    ...Object.fromEntries(
      ids.map((id) => [
        `${ACCOUNTS}/${id}`,
        { '@odata.type': typeOf('ManagerAccount'), ...accounts.resource(id) },
      ]),
    ),
  };
}
