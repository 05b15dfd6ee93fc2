// Who may log in: the users of the password file, the holders of tokens, and the role of each.
import { randomUUID } from 'node:crypto';
import type { Services } from '../../conductor/services.ts';
import type { StoredToken } from '../../db/tables/people/user-tokens.ts';
import { reloaded } from '../../lib/files/reloaded.ts';
import { readSecretFile } from '../../lib/files/secret-file.ts';
import { fault, reasonOf } from '../../model/faults.ts';
import type { Role } from '../../model/roles.ts';
import { type Accounts, parsePasswordFile } from './password-file.ts';
import {
  secretDigest,
  isExpired,
  newToken,
  parseTokenFile,
  type TokenHolder,
  type Tokens,
} from './tokens.ts';

type PeopleServices = Pick<Services, 'config' | 'log' | 'clock' | 'db'>;

export interface People {
  /** Returns another map when the password file has changed. Empty with auth_strategy = noauth. */
  readonly accounts: () => Accounts;
  /** The role that the section [users] gives to a user of the password file or the holder of a token. */
  readonly roleOf: (user: string) => Role;
  /** Returns the user who holds the token; undefined if nobody does, or if it has expired. */
  readonly holderOf: (token: string) => string | undefined;
  /** The holders of the tokens in the token file. */
  readonly fileHolders: () => readonly TokenHolder[];
  /**
   * Makes and stores a token, which is returned and cannot be had again. `until`: the day (UTC, YYYY-MM-DD) at whose start it
   * expires. Throws TooManyTokens.
   */
  readonly makeToken: (given: Pick<StoredToken, 'user' | 'until' | 'made_by'>) => {
    readonly id: string;
    readonly token: string;
  };
  /**
   * Returns a digest of what a sign-in with the user's password rests on: the password and the role. Undefined when the user is not
   * in the password file.
   */
  readonly basisOf: (user: string) => string | undefined;
}

/** The number of tokens that are stored. */
const MOST_TOKENS = 1000;

const NO_ACCOUNTS: Accounts = new Map();
const NO_TOKENS: Tokens = new Map();

/** Throws when the password file or the token file cannot be used. */
export function readPeople(services: PeopleServices): People {
  const { config, log, db, clock } = services;
  const isOpen = config.DEFAULT.auth_strategy === 'noauth';
  const accounts = isOpen ? () => NO_ACCOUNTS : openAccounts(services);
  const tokenFile = isOpen ? null : config.users.token_file;
  const fileTokens = tokenFile === null ? () => NO_TOKENS : openTokens(tokenFile, log);
  const roleOf = (user: string) => roleIn(config.users, user);
  return {
    accounts,
    roleOf,
    holderOf(token) {
      const digest = secretDigest(token);
      const holder = fileTokens().get(digest) ?? db.userTokens.withDigest(digest);
      return holder === undefined || isExpired(holder, clock.now()) ? undefined : holder.user;
    },
    fileHolders: () => [...fileTokens().values()],
    makeToken(given) {
      if (db.userTokens.count() >= MOST_TOKENS) throw fault('TooManyTokens', { limit: MOST_TOKENS });
      const { token, digest } = newToken();
      const id = randomUUID();
      db.userTokens.insert({ ...given, id, digest, made_at: new Date(clock.now()).toISOString() });
      return { id, token };
    },
    basisOf(user) {
      const password = accounts().get(user);
      return password === undefined ? undefined : secretDigest(JSON.stringify([password, roleOf(user)]));
    },
  };
}

function openAccounts({ config, log }: PeopleServices): () => Accounts {
  const file = config.DEFAULT.http_basic_auth_user_file;
  return reloaded(
    [file],
    () => readAccounts({ file, log, users: config.users }),
    (error) =>
      log.error(
        { file, reason: reasonOf(error) },
        'cannot use the password file; the previous accounts stay in use',
      ),
  );
}

function openTokens(file: string, log: Services['log']): () => Tokens {
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

function roleIn({ readers, operators, admins, default_role: otherwise }: Users, user: string): Role {
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
