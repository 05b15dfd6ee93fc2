// The users of a BMC: tries a login, changes the password of the daemon's user, and makes another user.
import { Fault, fault, type JsonObject, type Task } from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { bmcConnectionOf } from '../bmc/connection.ts';
import { converse, converseWithPassword } from '../bmc/converse.ts';
import { accountToChange, refusalOf } from '../bmc/failures.ts';
import { numberIn, objectIn, pathIn, textIn } from '../bmc/fields.ts';

const login = { username: 'redfish_username', password: 'redfish_password' } as const;
const CHANGING = 'Changing the password of the BMC';
const MAKING = 'Making a user of the BMC';

async function checkPassword(task: Task, password: string, username: string): Promise<boolean> {
  try {
    // the service root would be shown to anybody
    await converseWithPassword(task, { operation: 'Trying a password', username, password }, (bmc) =>
      bmc.get(`${bmc.rootPath}/Systems`),
    );
    return true;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (error.code === 'BmcPasswordChangeRequired') return true;
    if (error.code === 'BmcCredentialsRefused') return false;
    throw error;
  }
}

/** Throws BmcFailure when the BMC shows no account of the user, and BmcPasswordRefused. */
const setPassword = (task: Task, password: string): Promise<void> =>
  converse(task, { operation: CHANGING }, async (bmc) => {
    const path = await ownAccountPath(task, bmc, password);
    await sent(task, CHANGING, () => bmc.patchOnce(path, { Password: password }));
  });

/**
 * Changes the account of this name, else the first unused slot, else makes an account. Nothing is sent twice: when an answer is lost,
 * a login shows whether the BMC has the user. Throws BmcPasswordRefused and BmcPasswordChangeRequired.
 */
const makeUser = (task: Task, username: string, password: string): Promise<void> =>
  converse(task, { operation: MAKING, length: 4 }, async (bmc) => {
    const { collection, accounts } = await accountsOf(task, bmc, password);
    const own = accounts.find(isOf(bmcConnectionOf(task).username)) ?? {};
    if (own['PasswordChangeRequired'] === true)
      throw fault('BmcPasswordChangeRequired', {
        ...about(task, MAKING),
        reason: 'its account says PasswordChangeRequired',
      });
    const { reservedAccounts } = await bmc.remedies();
    const known = accounts.find(isOf(username));
    const unused = accounts.find(
      ({ UserName: name, Id: id }) => name === '' && !reservedAccounts.includes(textIn(id) ?? ''),
    );
    // the role of the daemon's user, in the words of the BMC
    const whole = { Password: password, RoleId: textIn(own['RoleId']) ?? 'Administrator', Enabled: true };
    const path = pathIn(known ?? unused);
    await sent(task, MAKING, async () =>
      path === undefined
        ? bmc.post(collection, await newAccount(bmc, { UserName: username, ...whole }))
        : bmc.patchOnce(
            path,
            known === undefined ? { UserName: username, ...whole } : changesOf(known, whole),
          ),
    );
  });

/** Leaves out what the account has already: not every BMC takes it. */
const changesOf = (known: JsonObject, { Password, ...rest }: JsonObject): JsonObject => ({
  Password: Password ?? null,
  ...Object.fromEntries(Object.entries(rest).filter(([name, value]) => known[name] !== value)),
});

async function newAccount(bmc: Bmc, usual: JsonObject): Promise<JsonObject> {
  const { accountTypes, accountPrivileges } = await bmc.remedies();
  const { UserName: name = '', Password: password = '' } = usual;
  if (accountPrivileges.length === 0)
    return { ...usual, ...(accountTypes.length > 0 && { AccountTypes: accountTypes }) };
  const [oem = 'Hpe'] = Object.keys(objectIn((await bmc.root())['Oem']));
  const privileges = Object.fromEntries(accountPrivileges.map((each) => [each, true]));
  return {
    UserName: name,
    Password: password,
    Oem: { [oem]: { LoginName: name, Privileges: privileges } },
  };
}

const isOf =
  (username: string) =>
  ({ UserName: name }: JsonObject): boolean =>
    name === username;

/** The account of the daemon's user: the one that the BMC names when it shows nothing before its password is changed. */
async function ownAccountPath(task: Task, bmc: Bmc, password: string): Promise<string> {
  try {
    const { username } = bmcConnectionOf(task);
    const path = pathIn((await accountsOf(task, bmc, password)).accounts.find(isOf(username)));
    if (path !== undefined) return path;
    const reason = `it shows no account of the user ${JSON.stringify(username)} (AccountService); change the password at the BMC, and then redfish_password in driver_info`;
    throw fault('BmcFailure', { ...about(task, CHANGING), reason });
  } catch (error) {
    const named = accountToChange(error);
    if (named === undefined) throw error;
    return named;
  }
}

interface Accounts {
  /** The path of the collection. */
  readonly collection: string;
  readonly accounts: readonly JsonObject[];
}

/** Throws BmcPasswordRefused when the password has a length that the BMC does not take. */
async function accountsOf(task: Task, bmc: Bmc, password: string): Promise<Accounts> {
  const path = pathIn((await bmc.root())['AccountService']) ?? `${bmc.rootPath}/AccountService`;
  const service = await bmc.get(path, 'AccountService');
  const shortest = numberIn(service['MinPasswordLength']) ?? 0;
  const longest = numberIn(service['MaxPasswordLength']) ?? 0;
  if (password.length < shortest || (longest > 0 && password.length > longest))
    throw fault('BmcPasswordRefused', {
      ...about(task, CHANGING),
      reason: `it takes ${shortest} to ${longest} characters, and the password has ${password.length}`,
    });
  const collection = pathIn(service['Accounts']) ?? `${path}/Accounts`;
  return { collection, accounts: await bmc.membersIfAny(collection) };
}

/** Throws BmcPasswordRefused when the BMC refuses the request because of the password. */
async function sent(task: Task, operation: string, send: () => Promise<unknown>): Promise<void> {
  try {
    await send();
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined || refusal.status !== 400) throw error;
    const { messages, subjects, reason } = refusal;
    if (![...messages, ...subjects, reason].some((text) => /password/i.test(text))) throw error;
    throw fault('BmcPasswordRefused', { ...about(task, operation), reason }, { cause: error });
  }
}

const about = (task: Task, operation: string) => ({
  operation,
  node: task.node.uuid,
  address: bmcConnectionOf(task).address,
});

/** The members of the management interface that have to do with users. */
export const redfishUsers = { login, checkPassword, setPassword, makeUser };
