// The sessions of people who have signed in on the page. A browser shows a secret of 256 random bits, and the database holds its
// digest, so sessions survive a restart of the daemon and nobody who reads the database can take one over.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Services } from '../../../conductor/services.ts';
import type { StoredSession } from '../../../db/tables/people/user-sessions.ts';
import { reasonOf } from '../../../model/faults.ts';
import { secretDigest } from '../tokens.ts';

const sessionLimits = {
  /** When one more begins, the one that was not used for the longest time ends. */
  ofAUser: 20,
  inAll: 1000,
  /** How exactly it is known when a session was last used: each change is written to the disk. */
  seenMilliseconds: 60_000,
} as const;

/** What a session begins with. */
export type SessionStart = Pick<StoredSession, 'user' | 'role' | 'basis' | 'address' | 'browser'>;

/** Whether what the session rests on still holds: the user, the password, the role. */
type Holds = (session: StoredSession) => boolean;

type SessionServices = Pick<Services, 'clock' | 'config' | 'db' | 'log'>;

export class PageSessions {
  readonly #services: SessionServices;
  readonly #holds: Holds;
  /** What is called when a session ends, by the id of the session. */
  readonly #endings = new Map<string, Set<() => void>>();
  #isClosed = false;

  constructor(services: SessionServices, holds: Holds) {
    this.#services = services;
    this.#holds = holds;
  }

  /** Returns the secret for the browser. */
  begin(start: SessionStart): string {
    const { db, clock } = this.#services;
    const secret = randomBytes(32).toString('base64url');
    const now = new Date(clock.now()).toISOString();
    db.transaction(() => {
      const before = this.list();
      const own = before.filter(({ user }) => user === start.user);
      const surplus = [...own.slice(sessionLimits.ofAUser - 1), ...before.slice(sessionLimits.inAll - 1)];
      for (const { id } of surplus) this.end(id);
      const digest = secretDigest(secret);
      db.userSessions.insert({ ...start, id: randomUUID(), digest, made_at: now, seen_at: now });
    });
    return secret;
  }

  /** Returns the session of a browser. `isUsed`: whether a person does something with it now, which a page by itself does not. */
  find(secret: string, isUsed: boolean): StoredSession | undefined {
    const { db, clock, log } = this.#services;
    const session = db.userSessions.withDigest(secretDigest(secret));
    if (session === undefined || !this.#isValid(session)) return undefined;
    if (!isUsed || clock.age(Date.parse(session.seen_at)) < sessionLimits.seenMilliseconds) return session;
    try {
      db.userSessions.see(session.id, new Date(clock.now()).toISOString());
    } catch (error) {
      // a full disk keeps nobody from looking at the page
      log.warn({ reason: reasonOf(error) }, 'cannot record that a session was used');
    }
    return session;
  }

  /** Returns the sessions that are valid, those used last first; removes the others. */
  list(): readonly StoredSession[] {
    const all = this.#services.db.userSessions.list();
    for (const session of all) if (!this.#isValid(session)) this.end(session.id);
    return all.filter((session) => this.#isValid(session));
  }

  end(id: string): void {
    this.#services.db.userSessions.remove(id);
    const actions = this.#endings.get(id);
    this.#endings.delete(id);
    const due = [...(actions ?? [])];
    actions?.clear();
    for (const action of due) action();
  }

  /** Calls `action` when the session has ended; a session that becomes invalid ends within a minute. Returns how to forget it. */
  whenEnded(id: string, action: () => void): () => void {
    const actions = this.#endings.get(id) ?? new Set();
    this.#endings.set(id, actions.add(action));
    const check = () => {
      if (this.#isClosed || !actions.has(action)) return;
      if (this.list().some((session) => session.id === id)) cancel = later();
      else this.end(id);
    };
    const later = () => this.#services.clock.after(sessionLimits.seenMilliseconds, check);
    let cancel = later();
    return () => {
      cancel();
      actions.delete(action);
      if (actions.size === 0 && this.#endings.get(id) === actions) this.#endings.delete(id);
    };
  }

  /** Looks at no session any more: the database will be closed. */
  close(): void {
    this.#isClosed = true;
  }

  #isValid(session: StoredSession): boolean {
    const { clock, config } = this.#services;
    const { session_lifetime: lifetime, session_idle_time: idle } = config.ui;
    return (
      clock.age(Date.parse(session.made_at)) < lifetime * 1000 &&
      clock.age(Date.parse(session.seen_at)) < idle * 1000 &&
      this.#holds(session)
    );
  }
}
