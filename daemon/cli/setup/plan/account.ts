// The first user of the API, in the password file of the daemon.
import { randomInt } from 'node:crypto';
import type { SetupAnswers } from '../answers.ts';
import type { HostChange } from '../change.ts';
import { hostText } from '../host/host.ts';
import { add, additionTo, withoutAdded } from './additions.ts';
import type { PlanParts } from './plan-parts.ts';

const ID = 'user';
// without characters that look alike
const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 20;

const newPassword = (): string =>
  Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');

/** The password with which the API can be used in this run; undefined while nobody has told it. */
export interface FirstLogin {
  password: string | undefined;
}

/** Returns the change that adds the user, if it is to be added, and a sentence when a user of the operator stays. */
export async function accountChange(
  { host, journal, progress, group, loaded }: PlanParts,
  { admin, password }: Pick<SetupAnswers, 'admin' | 'password'>,
  login: FirstLogin,
): Promise<{ readonly change: HostChange | undefined; readonly notes: readonly string[] }> {
  const { auth_strategy: strategy, http_basic_auth_user_file: file } = loaded.config.DEFAULT;
  login.password = password;
  const nothing = { change: undefined, notes: [] };
  if (strategy !== 'http_basic') return nothing;
  const { passwordDigest, matches } = await import('../../../http/login/password-worker.ts');
  const digestIn = (text: string) =>
    text
      .split('\n')
      .find((line) => line.startsWith(`${admin}:`))
      ?.slice(admin.length + 1);
  const digest = digestIn(hostText(host, file) ?? '');
  if (digest !== undefined && (password === undefined || matches({ password, digest }))) return nothing;
  if (digestIn(withoutAdded(host, journal, file, [ID])) !== undefined)
    return {
      change: undefined,
      notes: [
        `${file} has a user ${admin} already, whose password stays; to change it: htpasswd -B ${file} ${admin}`,
      ],
    };
  const change: HostChange = {
    id: ID,
    says: `adds the user ${admin} to ${file}${password === undefined ? ', with a password that is shown once' : ''}`,
    shows: [],
    async prepare() {
      login.password = password ?? newPassword();
      return additionTo(host, file, `${admin}:${passwordDigest(login.password)}\n`);
    },
    async apply(undo) {
      // before it is stored: whoever ends setup now has seen it, or it is made again
      if (password === undefined)
        progress.say(`  the password of ${admin}, shown only now: ${login.password}`);
      add(host, journal, ID, { undo, mode: 0o640, group });
    },
  };
  return { change, notes: [] };
}
