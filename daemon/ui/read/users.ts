// Reads what the views of users and sessions show.
import type { Visit } from '../../http/pages.ts';
import { listPeople, type Person, type ShownSession, shownSession } from '../../http/login/list-people.ts';
import type { SignIn } from '../../http/login/sign-in.ts';
import { fault } from '../../model/faults.ts';
import { includesRole } from '../../http/login/route-access.ts';
import type { ReadServices } from './services.ts';

/** Throws RoleTooLow. */
export function readUsers(
  { db }: ReadServices,
  { people, sessions }: Pick<SignIn, 'people' | 'sessions'>,
  { caller: { user, role }, request, url }: Visit,
): readonly Person[] {
  if (!includesRole(role, 'admin'))
    throw fault('RoleTooLow', {
      user: user ?? '',
      role,
      needed: 'admin',
      method: request.method,
      path: url.pathname,
    });
  return listPeople(people, db.userTokens.list(), sessions.list());
}

/** Returns the sessions of the visitor. */
export const readOwnSessions = (
  { sessions }: Pick<SignIn, 'sessions'>,
  { caller }: Visit,
): readonly ShownSession[] =>
  sessions
    .list()
    .filter(({ user }) => user === caller.user)
    .map(shownSession);
