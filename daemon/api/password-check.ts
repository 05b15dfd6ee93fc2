// Whether a password is a user's. Right ones are remembered; the others stand in one line, so that guessing takes the
// one core that compares and never keeps the API from answering.
import { createHmac, randomBytes } from 'node:crypto';
import { fault } from '../model/faults.ts';
import type { Accounts } from './password-file.ts';
import type { Credentials } from './password-worker.ts';

const COMPARING_LIMIT = 32;
/** bcrypt leaves out what comes after these. */
const SIGNIFICANT_BYTES = 72;

/**
 * The result compares just as much for a user that does not exist, and throws LoginsBusy when too many comparisons are
 * under way. `accounts` gives another map when the accounts changed; `compare` is slow and runs elsewhere.
 */
export function createPasswordCheck(
  accounts: () => Accounts,
  compare: (credentials: Credentials) => Promise<boolean>,
): (user: string, password: string) => Promise<boolean> {
  const macKey = randomBytes(32);
  // right, or still being compared; by a MAC, so that no password stays in memory
  const results = new Map<string, Promise<boolean>>();
  let resultsOf = accounts();
  let comparing = 0;

  const remembering = async (mac: string, credentials: Credentials) => {
    let right = false;
    comparing += 1;
    try {
      right = await compare(credentials);
      return right;
    } finally {
      comparing -= 1;
      if (!right) results.delete(mac);
    }
  };

  return async (user, password) => {
    const known = accounts();
    if (known !== resultsOf) results.clear();
    resultsOf = known;
    const digest = known.get(user) ?? decoy(known);
    const significant = Buffer.from(password).subarray(0, SIGNIFICANT_BYTES).toString('base64');
    const mac = createHmac('sha256', macKey)
      .update(JSON.stringify([user, digest, significant]))
      .digest('base64');
    const earlier = results.get(mac);
    if (earlier === undefined && comparing >= COMPARING_LIMIT)
      throw fault('LoginsBusy', { limit: COMPARING_LIMIT });
    const result = earlier ?? remembering(mac, { password, digest });
    results.set(mac, result);
    return (await result) && known.has(user);
  };
}

// The algorithm and cost of a real digest, and a hash that no password has
const decoy = (accounts: Accounts) => `${[...accounts.values()][0]?.slice(0, 7)}${'.'.repeat(53)}`;
