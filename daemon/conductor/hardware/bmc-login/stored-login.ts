// The login of a node's BMC as the daemon has stored it: in driver_info, and the one that the BMC is being given.
import { fault } from '../../../model/faults.ts';
import type { Json, JsonObject } from '../../../model/json.ts';
import type { Node } from '../../../model/records/node.ts';
import type { HardwareTask } from '../services.ts';
import { unsupported } from '../unsupported.ts';

export interface StoredBmcLogin {
  readonly username: string | null;
  readonly password: string | null;
  /** The password that the BMC was being given when the daemon ended, or when both were refused; null: there is none. */
  readonly pending: string | null;
  /** The user of the pending password. */
  readonly pending_username: string | null;
}

export interface LoginKeys {
  readonly username: string;
  readonly password: string;
}

/** The keys of driver_info with the user name and the password. Throws UnsupportedDriverExtension when the driver names none. */
export function loginKeys(task: HardwareTask): LoginKeys {
  const { login } = task.driver.management;
  if (login === undefined) throw unsupported(task, 'bmc_password', ['management', 'login']);
  return login;
}

/** Throws UnsupportedDriverExtension. */
export function bmcLoginOf(task: HardwareTask): StoredBmcLogin {
  const { driver_info: info, uuid } = task.node;
  const keys = loginKeys(task);
  const username = textOrNull(info[keys.username]);
  const pending = task.services.db.pendingBmcPasswords.of(uuid);
  return {
    username,
    password: textOrNull(info[keys.password]),
    pending: pending?.password ?? null,
    pending_username: pending === undefined ? null : (pending.username ?? username),
  };
}

const textOrNull = (value: Json | undefined): string | null =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : null;

/** The address of the BMC as driver_info has it. */
export const bmcAddressIn = (task: HardwareTask): string =>
  textOrNull(task.node.driver_info[addressKey(loginKeys(task))]) ?? '';

const addressKey = ({ username }: LoginKeys): string => username.replace(/_username$/, '_address');

/**
 * Returns driver_info with the new password, and with the user if that is another one. Another interface of the node may log in as
 * the same user, with IPMI for power and Redfish for the rest, say: it then gets the password too. Another user is only for the
 * interface that has made it: the old one still works for the others.
 */
export function infoWithLogin(
  { driver_info: info }: Node,
  keys: LoginKeys,
  { username, password }: { readonly username: string | null; readonly password: string },
): JsonObject {
  if (username !== null) return { ...info, [keys.username]: username, [keys.password]: password };
  const same = Object.keys(info).filter(
    (key) =>
      key.endsWith('_password') &&
      info[key] === info[keys.password] &&
      info[key.replace(/_password$/, '_username')] === info[keys.username],
  );
  return { ...info, ...Object.fromEntries([...same, keys.password].map((key) => [key, password])) };
}

/** Throws BmcLoginShared when another node logs in to the same BMC as `username`. */
export function refuseSharedLogin(task: HardwareTask, username: string | null): void {
  const { uuid, name, driver_info: own } = task.node;
  const keys = loginKeys(task);
  const address = addressKey(keys);
  const place = own[address];
  if (typeof place !== 'string') return;
  const sql = 'uuid <> ? AND driver_info ->> ? = ? AND driver_info ->> ? IS ?';
  const values = [uuid, address, place, keys.username, username];
  const other = task.services.db.nodes
    .where({ sql, values })
    .find(({ driver_info: info }) => portIn(info) === portIn(own));
  if (other !== undefined)
    throw fault('BmcLoginShared', { node: name ?? uuid, other: other.name ?? other.uuid });
}

const portIn = ({ ipmi_port: port }: JsonObject): string => textOrNull(port) ?? '623';
