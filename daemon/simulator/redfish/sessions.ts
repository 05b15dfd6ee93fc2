// The logins of the simulated BMC: a limited number of sessions, and basic authentication.
import type { JsonObject } from '../../model/json.ts';
import { type Answer, Refused } from './answer.ts';
import { SESSIONS } from './resources/paths.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export class FakeSessions {
  /** Tokens, each with the path of its session. */
  readonly open = new Map<string, string>();
  /** How many times a client has tried to log in. */
  logins = 0;
  credentials: Credentials;
  readonly #limit: number;

  constructor(credentials: Credentials, limit: number) {
    this.credentials = credentials;
    this.#limit = limit;
  }

  /** How the request is authenticated. */
  loginOf(token: string | undefined, authorization: string | undefined): 'session' | 'basic' | '-' {
    if (token !== undefined && this.open.has(token)) return 'session';
    const { username, password } = this.credentials;
    const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    return authorization === basic ? 'basic' : '-';
  }

  /** Throws Refused. */
  logIn({ UserName: username, Password: password }: JsonObject): Answer {
    this.logins += 1;
    if (username !== this.credentials.username || password !== this.credentials.password)
      throw new Refused(401, 'Base.1.8.NoValidSession', 'Wrong user name or password');
    if (this.open.size >= this.#limit)
      throw new Refused(503, 'IDRAC.2.8.RAC0218', 'The maximum number of user sessions is reached');
    const token = `token-${this.logins}`;
    const path = `${SESSIONS}/${this.logins}`;
    this.open.set(token, path);
    return {
      status: 201,
      headers: { 'x-auth-token': token, location: path },
      body: { '@odata.id': path, Id: String(this.logins), Name: 'Session' },
    };
  }

  /** Ends the session at the path. Returns whether there was one. */
  end(path: string): boolean {
    const found = [...this.open].find(([, each]) => each === path);
    return found !== undefined && this.open.delete(found[0]);
  }
}
