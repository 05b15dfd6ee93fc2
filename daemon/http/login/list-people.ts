// Lists who may log in, with the tokens and the sessions of each.
import type { StoredSession } from '../../db/tables/people/user-sessions.ts';
import type { StoredToken } from '../../db/tables/people/user-tokens.ts';
import type { Role } from '../../model/roles.ts';
import type { People } from './people.ts';

export interface Person {
  readonly name: string;
  readonly role: Role;
  /** `tokens only`: a user who is not in the password file. */
  readonly source: 'password file' | 'oidc' | 'tokens only';
  readonly sessions: readonly ShownSession[];
  readonly tokens: readonly ShownToken[];
}

export type ShownSession = Pick<StoredSession, 'id' | 'address' | 'browser' | 'made_at' | 'seen_at'>;

/** A token of the token file has no id, and nobody knows when it was made. */
export type ShownToken = { readonly [Name in 'id' | 'until' | 'made_at' | 'made_by']: string | null };

/** By name. A user of a provider is listed while signed in. `sessions`: those that are valid. */
export function listPeople(
  people: People,
  stored: readonly StoredToken[],
  sessions: readonly StoredSession[],
): readonly Person[] {
  const accounts = people.accounts();
  const ofFile = people.fileHolders();
  const ofProvider = new Map(sessions.flatMap(({ user, role }) => (role === null ? [] : [[user, role]])));
  const holders = [...stored, ...ofFile].map(({ user }) => user);
  const names = new Set([...accounts.keys(), ...ofProvider.keys(), ...holders]);
  return [...names].toSorted().map((name) => ({
    name,
    role: ofProvider.get(name) ?? people.roleOf(name),
    source: ofProvider.has(name) ? 'oidc' : accounts.has(name) ? 'password file' : 'tokens only',
    sessions: sessions.filter(({ user }) => user === name).map(shownSession),
    tokens: [
      ...stored.filter(({ user }) => user === name).map(shownToken),
      ...ofFile
        .filter(({ user }) => user === name)
        .map(({ until }) => ({ id: null, until, made_at: null, made_by: null })),
    ],
  }));
}

/** Returns what people may see of a session. */
export const shownSession = ({ id, address, browser, made_at, seen_at }: StoredSession): ShownSession => ({
  id,
  address,
  browser,
  made_at,
  seen_at,
});

const shownToken = ({ id, until, made_at, made_by }: StoredToken): ShownToken => ({
  id,
  until,
  made_at,
  made_by,
});
