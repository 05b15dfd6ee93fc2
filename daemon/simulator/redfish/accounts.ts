// The accounts of the simulated BMC: in slots or made on request, with rules for passwords, and locked after too many wrong ones.
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { notAllowed, notFound, type RedfishAnswer, Refused } from './answer.ts';
import { textOr } from './resources/odata.ts';
import { ACCOUNTS } from './resources/paths.ts';
import type { AccountHabits } from './shape.ts';

export interface BmcCredentials {
  readonly username: string;
  readonly password: string;
}

export interface FakeAccount extends BmcCredentials {
  readonly role: string;
  readonly isEnabled: boolean;
  /** Whether its password must be changed before the BMC does anything else for it. */
  readonly mustChange: boolean;
}

const EMPTY: FakeAccount = { username: '', password: '', role: 'None', isEnabled: false, mustChange: false };

export class FakeAccounts {
  /** The accounts by their Id, the empty slots among them. */
  readonly all = new Map<string, FakeAccount>();
  /** How many times an account was locked because of wrong passwords. */
  lockouts = 0;
  readonly habits: AccountHabits;
  readonly #factoryId: string;
  /** The wrong passwords in a row, by user name. */
  readonly #failures = new Map<string, number>();

  constructor(factory: BmcCredentials, habits: AccountHabits) {
    this.habits = habits;
    for (let slot = 1; slot <= habits.slots; slot += 1) this.all.set(String(slot), EMPTY);
    const mustChange = habits.firstPassword !== 'stays';
    this.#factoryId = habits.idIsName ? factory.username : habits.factoryId;
    this.all.set(this.#factoryId, { ...factory, role: 'Administrator', isEnabled: true, mustChange });
  }

  /** The account with which the BMC left the factory. */
  get factory(): FakeAccount {
    return this.all.get(this.#factoryId) ?? EMPTY;
  }

  set factory(credentials: BmcCredentials) {
    this.all.set(this.#factoryId, { ...this.factory, ...credentials });
  }

  /** Returns the Id of the account that the login belongs to; undefined when it is wrong or locked. Counts wrong passwords. */
  logIn(username: string, password: string): string | undefined {
    const failures = this.#failures.get(username) ?? 0;
    if (failures >= this.habits.lockoutThreshold) return undefined;
    const id = this.accepting(username, password);
    this.#failures.set(username, id === undefined ? failures + 1 : 0);
    if (failures + 1 === this.habits.lockoutThreshold && id === undefined) this.lockouts += 1;
    return id;
  }

  /** Like `logIn`, for a test: counts nothing. */
  accepting(username: string, password: string): string | undefined {
    const found = [...this.all].find(([, each]) => each.isEnabled && each.username === username);
    return username !== '' && found?.[1].password === password ? found[0] : undefined;
  }

  /** Throws Refused. */
  create(body: JsonObject): RedfishAnswer {
    const { slots, needs, idIsName } = this.habits;
    if (slots > 0) throw notAllowed('POST of an account');
    const missing = needs.find((name) => valueAt(body, name) === undefined);
    if (missing !== undefined)
      throw new Refused(400, 'Base.1.8.PropertyMissing', `${missing} is missing`, { args: [missing] });
    const username = textOr(body['UserName']);
    if ([...this.all.values()].some((each) => each.username === username))
      throw new Refused(400, 'Base.1.8.ResourceAlreadyExists', `The account ${username} exists`);
    const id = idIsName ? username : String(Math.max(0, ...[...this.all.keys()].map(Number)) + 1);
    this.#put(id, { ...EMPTY, role: 'ReadOnly', isEnabled: true }, body);
    return { status: 201, headers: { location: `${ACCOUNTS}/${id}` }, body: this.resource(id) };
  }

  /** Throws Refused. */
  change(id: string, body: JsonObject): void {
    const account = this.all.get(id);
    if (account === undefined) throw notFound(`${ACCOUNTS}/${id}`);
    if (this.habits.reservedSlots.includes(id)) throw notAllowed(`PATCH of the reserved account ${id}`);
    this.#put(id, account, body);
  }

  #put(id: string, account: FakeAccount, body: JsonObject): void {
    const { UserName, Password, RoleId, Enabled } = body;
    const username = textOr(UserName, account.username);
    const password = textOr(Password, account.password);
    if (Password !== undefined) this.#check(username, password);
    if (password === '') throw new Refused(400, 'Base.1.8.PropertyMissing', 'Password is missing');
    this.all.set(id, {
      username,
      password,
      role: textOr(RoleId, account.role),
      isEnabled: typeof Enabled === 'boolean' ? Enabled : account.isEnabled,
      mustChange: account.mustChange && password === account.password,
    });
    this.#failures.delete(username);
  }

  #check(username: string, password: string): void {
    const { shortest, longest, admits } = this.habits;
    const isBad =
      password.length < shortest ||
      password.length > longest ||
      !admits(password) ||
      password.includes(username);
    if (isBad)
      throw new Refused(400, 'Base.1.8.PropertyValueFormatError', 'The password does not follow the rules', {
        args: ['Password'],
        related: ['#/Password'],
      });
  }

  /** The resource without `@odata.id`. */
  resource(id: string): JsonObject {
    const { username, role, isEnabled, mustChange } = this.all.get(id) ?? EMPTY;
    return {
      Id: id,
      Name: 'User Account',
      UserName: username,
      Password: null,
      RoleId: role,
      Enabled: isEnabled,
      Locked: (this.#failures.get(username) ?? 0) >= this.habits.lockoutThreshold,
      ...(this.habits.firstPassword !== 'stays' && { PasswordChangeRequired: mustChange }),
    };
  }
}

/** `name`: names with dots between them, as in `Oem.Hpe.LoginName`. */
const valueAt = (body: JsonObject, name: string): Json | undefined =>
  name
    .split('.')
    .reduce<Json | undefined>((value, key) => (isJsonObject(value) ? value[key] : undefined), body);

/** Returns the refusal that every request gets until the password of account `id` is changed; it names the account. */
export const changeRequired = (id: string): Refused => {
  const path = `${ACCOUNTS}/${id}`;
  const message = `The password of this account must be changed before access is granted. PATCH the Password property of ${path}.`;
  return new Refused(403, 'Base.1.8.PasswordChangeRequired', message, { args: [path] });
};
