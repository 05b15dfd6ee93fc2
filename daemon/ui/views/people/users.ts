// The view Users: who may log in, with which role, where they are signed in, and the tokens of their programs.
import type { Person, ShownToken } from '../../../http/login/list-people.ts';
import type { Role } from '../../../model/roles.ts';
import { button } from '../../kit/controls.ts';
import { inputField } from '../../kit/fields.ts';
import { html, type Markup, plural, timeAgo } from '../../kit/markup.ts';
import { badge, card, emptyState, notice, pageHead } from '../../kit/surfaces.ts';
import { table } from '../../kit/table.ts';
import { sessionTable } from './sessions.ts';

export interface ShownUsers {
  readonly users: readonly Person[];
  /** The id of the session with which the page is shown. */
  readonly own: string | undefined;
  /** A token that was just made: it is shown this once. */
  readonly made: { readonly user: string; readonly token: string } | undefined;
  /** What was typed, and why no token was made. */
  readonly refused: { readonly user: string; readonly until: string; readonly reason: string } | undefined;
  /** The role of users that are in no list of [users]. */
  readonly otherRole: Role;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export function usersView(shown: ShownUsers): Markup {
  const { users, made } = shown;
  return html`${pageHead('Users', { lead: plural(users.length, 'user') })}
    <div class="stack">
      ${made === undefined ? '' : newToken(made)} ${peopleCard(users)} ${sessionsCard(shown)}
      ${tokensCard(shown)} ${makeTokenCard(shown)}
    </div>`;
}

const newToken = ({ user, token }: { readonly user: string; readonly token: string }): Markup =>
  notice(
    'attention',
    html`The token of <strong>${user}</strong>, which is shown only now: <code id="new-token">${token}</code
      ><br />A program sends it as <code>Authorization: Bearer TOKEN</code>, or as the password of ${user}.`,
    true,
  );

const SOURCES: Readonly<Record<Person['source'], string>> = {
  'password file': 'password file',
  oidc: 'single sign-on',
  'tokens only': 'tokens only',
};

const peopleCard = (users: readonly Person[]): Markup =>
  card({
    title: 'Who may log in',
    flush: true,
    footer: html`Passwords are in the file of <code>[DEFAULT] http_basic_auth_user_file</code> (<code
        >htpasswd -B FILE USER</code
      >), roles in <code>[users]</code> and <code>[oidc]</code>. A user of single sign-on is listed while
      signed in.`,
    body: table({
      about: 'Users',
      rows: users,
      columns: [
        { title: 'User', isName: true, cell: ({ name }) => name },
        { title: 'Role', cell: ({ role }) => badge(role, role === 'admin' ? 'attention' : 'idle') },
        { title: 'Logs in by', cell: ({ source }) => SOURCES[source] },
        { title: 'Sessions', cell: ({ sessions }) => counted(sessions.length, 'session') },
        { title: 'Tokens', cell: ({ tokens }) => counted(tokens.length, 'token') },
      ],
    }),
  });

const counted = (count: number, one: string): string => (count === 0 ? '' : plural(count, one));

function sessionsCard({ users, own, now }: ShownUsers): Markup {
  const all = users.flatMap(({ name, sessions }) => sessions.map((session) => ({ ...session, user: name })));
  return card({
    title: 'Signed in now',
    flush: true,
    body:
      all.length === 0
        ? html`<p class="body">Nobody is signed in on the page.</p>`
        : sessionTable({ sessions: all, own, from: 'users', now }),
  });
}

interface TokenRow extends ShownToken {
  readonly user: string;
  readonly role: string;
}

function tokensCard({ users, now }: ShownUsers): Markup {
  const rows = users.flatMap(({ name, role, tokens }) =>
    tokens.map((token) => ({ ...token, user: name, role })),
  );
  if (rows.length === 0)
    return card({
      title: 'Tokens',
      body: emptyState({
        icon: 'key',
        title: 'No tokens',
        text: 'Programs get tokens instead of passwords.',
      }),
    });
  return card({
    title: 'Tokens',
    flush: true,
    body: table<TokenRow>({
      about: 'Tokens',
      rows,
      columns: [
        { title: 'User', isName: true, cell: ({ user }) => user },
        { title: 'Role', cell: ({ role }) => role },
        { title: 'Expires', cell: (token) => expiry(token, now) },
        {
          title: 'Made',
          look: 'soft',
          cell: ({ id, made_at: at, made_by: by }) =>
            id === null ? 'in the token file' : html`${timeAgo(at, now)}${by === null ? '' : ` by ${by}`}`,
        },
        { title: 'Revoke', hidesTitle: true, cell: revokeForm },
      ],
    }),
  });
}

function expiry({ until }: ShownToken, now: number): Markup | string {
  if (until === null) return 'never';
  return now >= Date.parse(until) ? html`${badge('expired', 'broken')} ${until}` : until;
}

const revokeForm = ({ id, user }: TokenRow): Markup =>
  id === null
    ? html``
    : html`<form method="post" action="/ui/users/tokens/revoke">
        <input type="hidden" name="token" value="${id}" />
        ${button({ label: 'Revoke', small: true, look: 'losing', about: `Revoke a token of ${user}` })}
      </form>`;

const makeTokenCard = ({ users, refused, otherRole }: ShownUsers): Markup =>
  card({
    title: 'Make a token',
    body: html`<form method="post" action="/ui/users/tokens" class="form columns">
      ${inputField({
        name: 'user',
        label: 'User',
        value: refused?.user,
        required: true,
        offers: users.filter(({ source }) => source !== 'oidc').map(({ name }) => name),
        help: html`The program has the role of this user, who need not have a password. A user in no list of
          <code>[users]</code> has the role ${otherRole}.`,
        wrong: refused?.reason,
      })}
      ${inputField({
        name: 'until',
        label: 'Valid until',
        value: refused?.until,
        placeholder: '2027-12-31',
        maxLength: 10,
        help: 'The day at whose start (UTC) the token expires. Empty: it does not expire.',
      })}
      <div class="buttons full">${button({ label: 'Make a token', look: 'primary', icon: 'key' })}</div>
    </form>`,
  });
