// The users of a BMC: tries a login, changes the password of the daemon's user, and makes another user.
import { fault, type Task } from '#plugin-api';
import { bmcFailure, connectionOfTask, ipmitool, type IpmiRequest, outcomeOf } from '../ipmitool.ts';
import { bmcUrl } from '../connection.ts';

const login = { username: 'ipmi_username', password: 'ipmi_password' } as const;
const CHANGING = 'Changing the password of the BMC';
const MAKING = 'Making a user of the BMC';

/** IPMI 1.5 has passwords of 16 bytes; BMCs that store 20 take shorter ones too. */
const STORED_BYTES = 16;

async function checkPassword(task: Task, password: string, username: string): Promise<boolean> {
  const request = {
    operation: 'Trying a password',
    command: ['mc', 'info'],
    confirmation: 'Device ID',
    username,
    password,
  };
  const outcome = await outcomeOf(task, request);
  if (outcome.kind === 'obeyed') return true;
  // a user that is being made can be unknown, or without its privilege
  const isOther = username !== connectionOfTask(task).username;
  if (outcome.kind === 'wrong password' || (isOther && outcome.kind === 'not admitted')) return false;
  throw bmcFailure(task, request, outcome);
}

/** Throws BmcPasswordRefused, and BmcFailure also when the BMC lists no user of the name. */
async function setPassword(task: Task, password: string): Promise<void> {
  const { username } = connectionOfTask(task);
  const slot = (await usersOf(task, CHANGING)).find(({ name }) => name === username)?.slot;
  if (slot === undefined)
    throw fault('BmcFailure', {
      ...about(task, CHANGING),
      reason: `it lists no user ${JSON.stringify(username)} (ipmitool user list); change the password at the BMC, and then ipmi_password in driver_info`,
    });
  await sendPassword(task, password, { operation: CHANGING, script: commandFor(slot, password) });
}

const commandFor = (slot: number, password: string): string =>
  `user set password ${slot} ${password} ${STORED_BYTES}\n`;

/**
 * Changes the user of this name, else takes the first slot without a name, except slot 1, which belongs to nobody. The user gets its
 * password last. Throws BmcPasswordRefused, and BmcFailure also when there is no free slot.
 */
async function makeUser(task: Task, username: string, password: string): Promise<void> {
  const operation = MAKING;
  const channel = await lanChannel(task);
  const users = await usersOf(task, operation, channel);
  const known = users.find(({ name }) => name === username);
  const slot = known?.slot ?? users.find(({ name, slot: free }) => free > 1 && EMPTY.has(name))?.slot;
  if (slot === undefined)
    throw fault('BmcFailure', {
      ...about(task, operation),
      reason: 'all its users have names (ipmitool user list); remove one',
    });
  const name = ['user', 'set', 'name', String(slot), username];
  if (known === undefined) await ipmitool(task, { operation, command: name, confirmation: '' });
  // some BMCs do not know the command, and some allow Serial over LAN without it
  await outcomeOf(task, {
    operation,
    command: ['sol', 'payload', 'enable', channel, String(slot)],
    confirmation: '',
  });
  await sendPassword(task, password, {
    operation,
    script: `channel setaccess ${channel} ${slot} callin=off ipmi=on link=on privilege=4\n${commandFor(slot, password)}user enable ${slot}\n`,
  });
}

/** HPE's iLO shows a slot without a name in this way. */
const EMPTY: ReadonlySet<string> = new Set(['', '(Empty User)']);

async function sendPassword(
  task: Task,
  password: string,
  request: Pick<IpmiRequest, 'operation' | 'script'>,
): Promise<void> {
  const { operation } = request;
  const refuse = (reason: string) => fault('BmcPasswordRefused', { ...about(task, operation), reason });
  if (password.length > STORED_BYTES) throw refuse(`it takes ${STORED_BYTES} characters`);
  const whole = { ...request, confirmation: 'Set User Password command successful' };
  const outcome = await outcomeOf(task, whole);
  if (outcome.kind === 'obeyed') return;
  if (outcome.kind === 'refused' && /Set User Password command failed/.test(outcome.reason))
    throw refuse(outcome.reason);
  throw bmcFailure(task, whole, outcome);
}

interface BmcUser {
  readonly slot: number;
  readonly name: string;
}

/** The users, and the slots without one. `channel`: for the access that users have; not needed for their names. */
async function usersOf(
  task: Task,
  operation: string,
  ...channel: readonly string[]
): Promise<readonly BmcUser[]> {
  const command = ['-c', 'user', 'list', ...channel];
  const listed = await ipmitool(task, { operation, command, confirmation: ',' });
  return listed
    .split('\n')
    .map((line) => line.split(','))
    .flatMap(([slot, name]) => (/^\d+$/.test(slot ?? '') ? [{ slot: Number(slot), name: name ?? '' }] : []));
}

/** The number of the channel over which the daemon talks with the BMC. */
async function lanChannel(task: Task): Promise<string> {
  const command = ['channel', 'info'];
  const shown = await ipmitool(task, { operation: MAKING, command, confirmation: 'Channel 0x' });
  const number = /^Channel 0x([0-9a-f]+) info/im.exec(shown)?.[1] ?? '1';
  return String(Number.parseInt(number, 16));
}

const about = (task: Task, operation: string) => ({
  operation,
  node: task.node.uuid,
  address: bmcUrl(connectionOfTask(task)),
});

/** The members of the management interface that have to do with users. */
export const ipmiUsers = { login, checkPassword, setPassword, makeUser };
