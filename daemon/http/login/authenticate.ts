// Authenticates requests as [DEFAULT] auth_strategy says: by password, by token, or by the session of the page.
import type { Services } from '../../conductor/services.ts';
import type { Caller } from '../../model/caller.ts';
import { lazyThreads } from '../../lib/lazy-threads.ts';
import { fault } from '../../model/faults.ts';
import { type Authorization, parseAuthorization } from './authorization.ts';
import { createFailedLogins } from './failed-logins.ts';
import { Guessing } from './guessing.ts';
import { createProvider } from './oidc/provider.ts';
import { createPasswordCheck } from './password-check.ts';
import { type People, readPeople } from './people.ts';
import { PageSessions } from './sessions/sessions.ts';
import { createSignIn, type SignIn } from './sign-in.ts';
import { isToken } from './tokens.ts';

export interface LoginAttempt {
  /** The Authorization header. */
  readonly authorization: string | undefined;
  /** The secret of the session that the request may use; an Authorization header comes first. */
  readonly session?: { readonly secret: string; readonly isUsed: boolean } | undefined;
  /**
   * The client's address, which comes from proxy headers if the proxy is trusted; null for a Unix socket. The limits for wrong
   * passwords and waiting logins apply to each address.
   */
  readonly address: string | null;
}

export interface Authentication {
  /**
   * Resolves with the caller's user, role and session; with auth_strategy = noauth, every caller is an admin without a user name.
   * Rejects with AuthenticationRequired, AuthenticationFailed, AuthenticationMalformed, AuthenticationUnsupported, LoginsBusy or
   * TooManyWrongPasswords.
   */
  readonly authenticate: (attempt: LoginAttempt) => Promise<Pick<Caller, 'user' | 'role' | 'session'>>;
  readonly people: People;
  /** How people sign in on the page; undefined with auth_strategy = noauth. */
  readonly signIn: SignIn | undefined;
  close(): Promise<void>;
}

/** Throws when the password file, the token file or the section [oidc] cannot be used. */
export function createAuthentication(
  services: Pick<Services, 'config' | 'log' | 'clock' | 'db'>,
): Authentication {
  const { config, log, clock } = services;
  const people = readPeople(services);
  const provider = createProvider(services);
  if (config.DEFAULT.auth_strategy === 'noauth')
    return {
      authenticate: async () => ({ user: null, role: 'admin' }),
      people,
      signIn: undefined,
      close: async () => undefined,
    };
  const thread = lazyThreads(
    { filename: new URL('password-worker.ts', import.meta.url).href, maxThreads: 1 },
    (error) => log.error({ error }, 'the thread that checks passwords ended unexpectedly'),
  );
  const logFailure = createFailedLogins({ clock, log });
  const isRight = createPasswordCheck(
    people.accounts,
    (credentials) => thread.run(credentials, { name: 'matches' }) as Promise<boolean>,
    new Guessing(clock),
  );
  const failed = (user: string, address: string | null) => {
    logFailure(user, address);
    return fault('AuthenticationFailed', {});
  };
  const sessions = new PageSessions(services, ({ user, role, basis }) =>
    role === null ? basis === people.basisOf(user) : basis === provider?.basis,
  );
  const holderFor = ({ user, password }: Authorization) => {
    // nobody can guess 256 random bits, so wrong tokens are not counted, and a right one never waits
    const holder = people.holderOf(password);
    return holder !== undefined && (user === undefined || user === holder) ? holder : undefined;
  };
  const userOf = async ({ user, password }: Authorization, address: string | null) => {
    if (user === undefined || isToken(password)) return holderFor({ user, password });
    return (await isRight({ user, password, peer: address ?? 'local' })) ? user : undefined;
  };
  return {
    async authenticate({ authorization, session, address }) {
      const found =
        authorization === undefined && session !== undefined
          ? sessions.find(session.secret, session.isUsed)
          : undefined;
      if (found !== undefined)
        return { user: found.user, role: found.role ?? people.roleOf(found.user), session: found.id };
      const login = parseAuthorization(authorization);
      const user = await userOf(login, address);
      if (user === undefined) throw failed(login.user ?? '(token)', address);
      return { user, role: people.roleOf(user) };
    },
    people,
    signIn: createSignIn(services, { people, sessions, provider, isRight, failed }),
    async close() {
      sessions.close();
      await thread.close();
    },
  };
}
