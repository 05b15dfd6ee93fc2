// Checks passwords. Passwords known to be correct are remembered; all others wait for the one thread that compares them, so that
// guessing never keeps the API from answering.
import { createHmac, randomBytes } from 'node:crypto';
import { fault } from '../../model/faults.ts';
import type { Guessing } from './guessing.ts';
import type { Accounts } from './password-file.ts';
import type { Credentials } from './password-worker.ts';

/** The number of comparisons that may wait in one line; each takes about a tenth of a second. */
const LINE_LIMIT = 128;
/** The number of comparisons that may wait in all lines together. */
const WAITING_LIMIT = 1024;
/** bcrypt ignores further bytes. */
const SIGNIFICANT_BYTES = 72;

export interface Login {
  readonly user: string;
  readonly password: string;
  /** The network address of the caller. */
  readonly peer: string;
}

/**
 * Returns a function that resolves with whether a login is correct. For an unknown user it takes as long as for one of the known
 * users. It rejects with LoginsBusy when too many comparisons wait, and with TooManyWrongPasswords. Comparisons wait in lines
 * that take turns: each address has a line for each user, and one for all unknown users. While the first login of a user waits,
 * each line of guesses from other addresses gets at most one turn, however many guesses are in the line. Such guesses prevent the
 * login only while WAITING_LIMIT is reached. `accounts` returns another map when the accounts have changed. `compare` is slow, runs
 * in another thread, and is called for one comparison at a time.
 */
export function createPasswordCheck(
  accounts: () => Accounts,
  compare: (credentials: Credentials) => Promise<boolean>,
  guessing: Pick<Guessing, 'attempt'>,
): (login: Login) => Promise<boolean> {
  const macKey = randomBytes(32);
  // logins that are correct or are being compared; the key is an HMAC, so that no password stays in memory
  const results = new Map<string, Promise<boolean>>();
  let resultsOf = accounts();
  const inLine = createLines();

  const remembering = async (mac: string, line: string, credentials: Credentials) => {
    let right = false;
    try {
      right = await inLine(line, () => compare(credentials));
      return right;
    } finally {
      if (!right) results.delete(mac);
    }
  };

  return async ({ user, password, peer }) => {
    const known = accounts();
    if (known !== resultsOf) results.clear();
    resultsOf = known;
    const digest = known.get(user) ?? decoy(known);
    const significant = Buffer.from(password).subarray(0, SIGNIFICANT_BYTES).toString('base64');
    const mac = createHmac('sha256', macKey)
      .update(JSON.stringify([user, digest, significant]))
      .digest('base64');
    const line = JSON.stringify([peer, known.has(user) ? user : null]);
    const remembered = results.get(mac);
    // a user who has logged in before is not locked out by somebody who guesses from the same address
    const takeBack = remembered === undefined ? guessing.attempt(peer, user) : () => undefined;
    const result = remembered ?? remembering(mac, line, { password, digest });
    results.set(mac, result);
    let isWrong = false;
    try {
      isWrong = !((await result) && known.has(user));
      return !isWrong;
    } finally {
      // a login that was refused because the line is full was not compared
      if (!isWrong) takeBack();
    }
  };
}

/**
 * Returns a function that runs one piece of work at a time, taking turns between lines. The function rejects with LoginsBusy when
 * the line, or all lines together, are full.
 */
function createLines(): <T>(line: string, work: () => Promise<T>) => Promise<T> {
  // a Map iterates in the order of insertion, so a line that has had its turn is inserted again at the end
  const lines = new Map<string, (() => void)[]>();
  let waiting = 0;
  let isBusy = false;
  const next = () => {
    const [first] = lines;
    isBusy = first !== undefined;
    if (first === undefined) return;
    const [name, line] = first;
    const start = line.shift();
    lines.delete(name);
    if (line.length > 0) lines.set(name, line);
    waiting -= 1;
    start?.();
  };
  return async (name, work) => {
    if (isBusy) {
      const line = lines.get(name) ?? [];
      if (line.length >= LINE_LIMIT || waiting >= WAITING_LIMIT)
        throw fault('LoginsBusy', { limit: LINE_LIMIT, all: WAITING_LIMIT });
      lines.set(name, line);
      waiting += 1;
      await new Promise<void>((resolve) => void line.push(resolve));
    }
    isBusy = true;
    try {
      return await work();
    } finally {
      next();
    }
  };
}

// A bcrypt digest that no password has, with the algorithm and cost of one account's digest
const decoy = (accounts: Accounts) => `${[...accounts.values()][0]?.slice(0, 7)}${'.'.repeat(53)}`;
