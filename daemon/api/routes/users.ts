// /v1/users, /v1/user_tokens and /v1/user_sessions: who may use the API, the tokens of programs, and who is signed in on the page.
import type { Authentication } from '../../http/login/authenticate.ts';
import { canHoldToken, isDay } from '../../http/login/tokens.ts';
import { listPeople } from '../../http/login/list-people.ts';
import type { Parameters } from '../../http/parameters.ts';
import { type Route, route } from '../../http/route.ts';
import { listSchema, orNull, textSchema, wholeSchema } from '../../http/schema-parts.ts';
import { fault } from '../../model/faults.ts';
import { includesRole } from '../../http/login/route-access.ts';
import { roles } from '../../model/roles.ts';

const given = {
  user: { kind: 'text', required: true },
  until: { kind: 'text' },
} as const satisfies Parameters;

const sessionSchema = wholeSchema(
  {
    id: textSchema,
    address: orNull(textSchema),
    browser: textSchema,
    made_at: textSchema,
    seen_at: textSchema,
  },
  'UserSession',
);

/** A token of the token file has no id. */
const tokenSchema = wholeSchema(
  {
    id: orNull(textSchema),
    until: orNull(textSchema),
    made_at: orNull(textSchema),
    made_by: orNull(textSchema),
  },
  'UserToken',
);

const userSchema = wholeSchema(
  {
    name: textSchema,
    role: { type: 'string', enum: roles },
    source: { type: 'string', enum: ['password file', 'oidc', 'tokens only'] },
    sessions: listSchema(sessionSchema),
    tokens: listSchema(tokenSchema),
  },
  'User',
);

export function createUserRoutes({
  people,
  signIn,
}: Pick<Authentication, 'people' | 'signIn'>): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/users',
      since: 1,
      needs: 'admin',
      answers: { 200: wholeSchema({ users: listSchema(userSchema) }) },
      handler: ({ services: { db } }) => ({
        status: 200,
        body: { users: listPeople(people, db.userTokens.list(), signIn?.sessions.list() ?? []) },
      }),
    }),
    route({
      method: 'POST',
      path: '/v1/user_tokens',
      since: 1,
      needs: 'admin',
      body: { parameters: given },
      answers: { 201: wholeSchema({ id: textSchema, token: textSchema }) },
      handler({ given: { user, until = null }, caller }) {
        checkToken(user, until);
        const made = people.makeToken({ user, until, made_by: caller.user });
        return { status: 201, body: made, location: `/v1/user_tokens/${made.id}` };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/user_tokens/:id',
      since: 1,
      needs: 'admin',
      answers: { 204: null },
      handler({ services: { db }, parameters: { id = '' } }) {
        if (!db.userTokens.remove(id)) throw fault('TokenNotFound', { id });
        return { status: 204 };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/user_sessions/:id',
      since: 1,
      needs: 'reader',
      answers: { 204: null },
      handler({ parameters: { id = '' }, caller }) {
        const session = signIn?.sessions.list().find((each) => each.id === id);
        const isTheirs = session?.user === caller.user || includesRole(caller.role, 'admin');
        // to others, a session looks like one that is not there
        if (session === undefined || !isTheirs) throw fault('SessionNotFound', { id });
        signIn?.sessions.end(id);
        return { status: 204 };
      },
    }),
  ];
}

function checkToken(user: string, until: string | null): void {
  if (!canHoldToken(user))
    throw fault('InvalidParameter', {
      name: 'user',
      reason: `${JSON.stringify(user.slice(0, 100))} is not a name of up to 255 characters without colons, blanks and control characters`,
    });
  if (until === null || isDay(until)) return;
  const reason = `${JSON.stringify(until.slice(0, 100))} is not a day such as 2027-01-31`;
  throw fault('InvalidParameter', { name: 'until', reason });
}
