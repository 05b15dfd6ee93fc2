// Authenticates requests as [DEFAULT] auth_strategy says.
import type { Services } from '../../conductor/services.ts';
import { lazyThreads } from '../../lib/lazy-threads.ts';
import { reloaded } from '../../lib/files/reloaded.ts';
import { readSecretFile } from '../../lib/files/secret-file.ts';
import { fault, reasonOf } from '../../model/faults.ts';
import { parseBasic } from './basic-header.ts';
import { createFailedLogins } from './failed-logins.ts';
import { createPasswordCheck } from './password-check.ts';
import { type Accounts, parsePasswordFile } from './password-file.ts';

export interface LoginAttempt {
  /** The Authorization header. */
  readonly authorization: string | undefined;
  /** The remote address of the connection; logins from one peer queue behind each other. */
  readonly peer: string;
  /** The address of the client for the log, from proxy headers where those are trusted. */
  readonly address: string | null;
}

export interface Authentication {
  /**
   * Resolves with the user name; null without authentication. Rejects with AuthenticationRequired,
   * AuthenticationFailed, AuthenticationMalformed, AuthenticationUnsupported or LoginsBusy.
   */
  readonly userOf: (attempt: LoginAttempt) => Promise<string | null>;
  close(): Promise<void>;
}

/** Throws when the password file cannot be used. */
export function createAuthentication({
  config,
  log,
  clock,
}: Pick<Services, 'config' | 'log' | 'clock'>): Authentication {
  const { auth_strategy: strategy, http_basic_auth_user_file: file } = config.DEFAULT;
  if (strategy === 'noauth') return { userOf: async () => null, close: async () => undefined };
  const accounts = reloaded(
    [file],
    () => readAccounts(file, log),
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
  const logFailure = createFailedLogins({ clock, log });
  const isRight = createPasswordCheck(
    accounts,
    (credentials) => thread.run(credentials, { name: 'matches' }) as Promise<boolean>,
  );
  return {
    async userOf({ authorization, peer, address }) {
      const { user, password } = parseBasic(authorization);
      if (await isRight({ user, password, peer })) return user;
      logFailure(user, address);
      throw fault('AuthenticationFailed', {});
    },
    close: () => thread.close(),
  };
}

function readAccounts(file: string, log: Services['log']): Accounts {
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
  return accounts;
}
