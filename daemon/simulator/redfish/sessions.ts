// The logins of the simulated BMC: a limited number of sessions, and basic authentication.
import { type RedfishAnswer, Refused } from './answer.ts';
import { changeRequired, FakeAccounts, type BmcCredentials } from './accounts.ts';
import type { JsonObject } from '../../model/json.ts';
import { textOr } from './resources/odata.ts';
import { SESSIONS } from './resources/paths.ts';
import type { AccountHabits } from './shape.ts';

export interface FakeLogin {
  readonly kind: 'session' | 'basic' | '-';
  /** The Id of the account; undefined without a login. */
  readonly account?: string | undefined;
}

export class FakeSessions {
  /** Tokens, each with the path of its session. */
  readonly open = new Map<string, string>();
  /** How many times a client has tried to log in. */
  logins = 0;
  readonly accounts: FakeAccounts;
  readonly #limit: number;
  /** The Ids of the accounts, by token. */
  readonly #owners = new Map<string, string>();

  constructor(
    factory: BmcCredentials,
    { accounts, sessionLimit }: { readonly accounts: AccountHabits; readonly sessionLimit: number },
  ) {
    this.accounts = new FakeAccounts(factory, accounts);
    this.#limit = sessionLimit;
  }

  /** The login with which the BMC left the factory, as it is now. */
  get credentials(): BmcCredentials {
    return this.accounts.factory;
  }

  set credentials(credentials: BmcCredentials) {
    this.accounts.factory = credentials;
  }

  /** How the request is authenticated. */
  loginOf(token: string | undefined, authorization: string | undefined): FakeLogin {
    if (token !== undefined && this.open.has(token))
      return { kind: 'session', account: this.#owners.get(token) };
    const [scheme, encoded] = authorization?.split(' ') ?? [];
    if (scheme !== 'Basic' || encoded === undefined) return { kind: '-' };
    const [username = '', ...rest] = Buffer.from(encoded, 'base64').toString().split(':');
    const account = this.accounts.logIn(username, rest.join(':'));
    return { kind: account === undefined ? '-' : 'basic', account };
  }

  /** Throws Refused. */
  logIn({ UserName: username, Password: password }: JsonObject): RedfishAnswer {
    this.logins += 1;
    const account = this.accounts.logIn(textOr(username), textOr(password));
    if (account === undefined)
      throw new Refused(401, 'Base.1.8.NoValidSession', 'Wrong user name or password');
    if (
      this.accounts.habits.firstPassword === 'opens no session' &&
      this.accounts.all.get(account)?.mustChange
    )
      throw changeRequired(account);
    if (this.open.size >= this.#limit)
      throw new Refused(503, 'IDRAC.2.8.RAC0218', 'The maximum number of user sessions is reached');
    const token = `token-${this.logins}`;
    const path = `${SESSIONS}/${this.logins}`;
    this.open.set(token, path);
    this.#owners.set(token, account);
    return {
      status: 201,
      headers: { 'x-auth-token': token, location: path },
      body: { '@odata.id': path, Id: String(this.logins), Name: 'Session' },
    };
  }

  /** Sessions that are open stay open, unless the password had to be changed. Throws Refused. */
  changeAccount(id: string, body: JsonObject): void {
    const had = this.accounts.all.get(id);
    this.accounts.change(id, body);
    if (had?.mustChange === true && this.accounts.all.get(id)?.mustChange === false)
      for (const [token, owner] of this.#owners) if (owner === id) this.open.delete(token);
  }

  /** Ends the session at the path. Returns whether there was one. */
  end(path: string): boolean {
    const found = [...this.open].find(([, each]) => each === path);
    return found !== undefined && this.open.delete(found[0]);
  }
}
