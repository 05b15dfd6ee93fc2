// The password file of http_basic: one user and bcrypt digest per line, as `htpasswd -B` writes them.
import { ConfigurationError } from '../../config/configuration-error.ts';

/** bcrypt digests by user name. */
export type Accounts = ReadonlyMap<string, string>;

// up to cost 17, the highest of htpasswd, which takes about 20 seconds
const DIGEST = /^\$2[aby]\$(?:0[4-9]|1[0-7])\$[./A-Za-z0-9]{53}$/;

/**
 * Returns the accounts; of several lines for a user, the first counts. Throws ConfigurationError with the places of all invalid
 * lines, or if the file has no account.
 */
export function parsePasswordFile(path: string, text: string): Accounts {
  const lines = text
    .split('\n')
    .map((line, index) => ({ line: line.trim(), place: `${path}:${index + 1}` }))
    .filter(({ line }) => line !== '')
    .map(({ line, place }) => parseLine(line, place));
  const problems = lines.flatMap((line) => ('problem' in line ? [line.problem] : []));
  if (lines.length === 0)
    problems.push(
      `${path} has no users, so no client could log in to the API; add one: htpasswd -B ${path} USER`,
    );
  if (problems.length > 0) throw new ConfigurationError(problems);
  // reversed, as Map keeps the last of equal names
  return new Map(lines.toReversed().flatMap((line) => ('account' in line ? [line.account] : [])));
}

type Line = { readonly account: readonly [user: string, digest: string] } | { readonly problem: string };

// the error does not quote the line: it may contain a password in place of the digest
function parseLine(line: string, place: string): Line {
  const [, user = '', digest = ''] = /^([^:]*):?(.*)$/s.exec(line) ?? [];
  if (user === '') return { problem: `${place}: there is no user name before the colon` };
  if (DIGEST.test(digest)) return { account: [user, digest] };
  return {
    problem: `${place}: the text after the user name is not a bcrypt digest ($2y$, $2a$ or $2b$, cost 04 to 17); make one with: htpasswd -nB USER`,
  };
}
