// Authenticates requests as [DEFAULT] auth_strategy says.
import type { Caller, Services } from '../../conductor/services.ts';
import { lazyThreads } from '../../lib/lazy-threads.ts';
import { reloaded } from '../../lib/files/reloaded.ts';
import { readSecretFile } from '../../lib/files/secret-file.ts';
import { fault, reasonOf } from '../../model/faults.ts';
import type { Role } from '../../model/roles.ts';
import { parseAuthorization } from './authorization.ts';
import { createFailedLogins } from './failed-logins.ts';
import { Guessing } from './guessing.ts';
import { createPasswordCheck } from './password-check.ts';
import { type Accounts, parsePasswordFile } from './password-file.ts';
import { holderOf, isToken, parseTokenFile, type Tokens } from './tokens.ts';

export interface LoginAttempt {
  /** The Authorization header. */
  readonly authorization: string | undefined;
  /**
   * The remote address of the connection; `local` for a Unix socket. The limits for wrong passwords and waiting logins apply to
   * each peer.
   */
  readonly peer: string;
  /** The client's address for the log; it comes from proxy headers if the proxy is trusted. */
  readonly address: string | null;
}

export interface Authentication {
  /**
   * Resolves with the caller's user and role; with auth_strategy = noauth, every caller is an admin without a user name. Rejects
   * with AuthenticationRequired, AuthenticationFailed, AuthenticationMalformed, AuthenticationUnsupported, LoginsBusy or
   * TooManyWrongPasswords.
   */
  readonly authenticate: (attempt: LoginAttempt) => Promise<Pick<Caller, 'user' | 'role'>>;
  close(): Promise<void>;
}

/** Throws when the password file or the token file cannot be used. */
export function createAuthentication({
  config,
  log,
  clock,
}: Pick<Services, 'config' | 'log' | 'clock'>): Authentication {
  const { auth_strategy: strategy, http_basic_auth_user_file: file } = config.DEFAULT;
  if (strategy === 'noauth')
    return { authenticate: async () => ({ user: null, role: 'admin' }), close: async () => undefined };
  const accounts = reloaded(
    [file],
    () => readAccounts({ file, log, users: config.users }),
    (error) =>
      log.error(
        { file, reason: reasonOf(error) },
        'cannot use the password file; the previous accounts stay in use',
      ),
  );
  const thread = lazyThreads(
    { filename: new URL('password-worker.ts', import.meta.url).href, maxThreads: 1 },
    (error) => log.error({ error }, 'the thread that checks passwords ended unexpectedly'),
  );
  const { token_file: tokenFile } = config.users;
  const tokens = openTokens(tokenFile, log);
  const guessing = new Guessing(clock);
  const userOfToken = (token: string, peer: string) => {
    const wasRight = guessing.attempt(peer);
    const holder = holderOf(tokens(), token, clock.now());
    if (holder !== undefined) wasRight();
    return holder;
  };
  const logFailure = createFailedLogins({ clock, log });
  const isRight = createPasswordCheck(
    accounts,
    (credentials) => thread.run(credentials, { name: 'matches' }) as Promise<boolean>,
    guessing,
  );
  const known = (user: string) => ({ user, role: roleOf(config.users, user) });
  return {
    async authenticate({ authorization, peer, address }) {
      const { user, password } = parseAuthorization(authorization);
      if (user === undefined && tokenFile === null)
        throw fault('AuthenticationUnsupported', { scheme: 'Bearer' });
      if (user === undefined || isToken(password)) {
        const holder = userOfToken(password, peer);
        if (holder !== undefined && (user ?? holder) === holder) return known(holder);
      } else if (await isRight({ user, password, peer })) return known(user);
      logFailure(user ?? '(token)', address);
      throw fault('AuthenticationFailed', {});
    },
    close: () => thread.close(),
  };
}

const NO_TOKENS: Tokens = new Map();

function openTokens(file: string | null, log: Services['log']): () => Tokens {
  if (file === null) return () => NO_TOKENS;
  return reloaded(
    [file],
    () => parseTokenFile(file, readSecretFile(file)),
    (error) =>
      log.error(
        { file, reason: reasonOf(error) },
        'cannot use the token file; the previous tokens stay in use',
      ),
  );
}

type Users = Services['config']['users'];

function roleOf({ readers, operators, admins, default_role: otherwise }: Users, user: string): Role {
  if (readers.includes(user)) return 'reader';
  if (operators.includes(user)) return 'operator';
  return admins.includes(user) ? 'admin' : otherwise;
}

interface AccountsSource {
  readonly file: string;
  readonly log: Services['log'];
  readonly users: Users;
}

function readAccounts({ file, log, users }: AccountsSource): Accounts {
  let text: string;
  try {
    text = readSecretFile(file);
  } catch (error) {
    throw new Error(
      `The password file of [DEFAULT] auth_strategy = http_basic cannot be used ([DEFAULT] http_basic_auth_user_file): ${reasonOf(error)}`,
      { cause: error },
    );
  }
  const accounts = parsePasswordFile(file, text);
  log.info({ file, users: accounts.size }, 'password file read');
  const named = [...users.readers, ...users.operators, ...users.admins];
  for (const user of new Set(named).difference(accounts))
    log.warn({ file, user }, 'the section [users] gives a role to a user who is not in the password file');
  return accounts;
}
