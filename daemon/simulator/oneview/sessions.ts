// The logins of a simulated OneView appliance.
import type { Clock } from '../../lib/clock.ts';

interface Session {
  readonly user: string;
  lastUse: number;
}

export class Sessions {
  readonly #users: Readonly<Record<string, string>>;
  readonly #clock: Clock;
  readonly #idleMilliseconds: number;
  readonly #open = new Map<string, Session>();
  /** How many times a client has tried to log in. */
  logins = 0;

  constructor(users: Readonly<Record<string, string>>, clock: Clock, idleSeconds: number) {
    this.#users = users;
    this.#clock = clock;
    this.#idleMilliseconds = idleSeconds * 1000;
  }

  get ids(): readonly string[] {
    return [...this.#open.keys()];
  }

  get size(): number {
    return this.#open.size;
  }

  /** Opens a session with the identifier `id`, and returns `id`; undefined for a wrong user or password. */
  logIn(user: unknown, password: unknown, id: string): string | undefined {
    this.logins += 1;
    if (typeof user !== 'string' || !Object.hasOwn(this.#users, user) || this.#users[user] !== password)
      return undefined;
    this.#open.set(id, { user, lastUse: this.#clock.monotonic() });
    return id;
  }

  userOf(id: string | undefined): string | undefined {
    const session = id === undefined ? undefined : this.#open.get(id);
    if (session === undefined || id === undefined) return undefined;
    const now = this.#clock.monotonic();
    if (now - session.lastUse > this.#idleMilliseconds) {
      this.#open.delete(id);
      return undefined;
    }
    session.lastUse = now;
    return session.user;
  }

  logOut(id: string): void {
    this.#open.delete(id);
  }

  expire(): void {
    this.#open.clear();
  }
}
