// The password file of http_basic: a user and a bcrypt digest a line, as `htpasswd -B` writes them.
import { ConfigurationError } from '../config/configuration-error.ts';

/** bcrypt digests by user name. */
export type Accounts = ReadonlyMap<string, string>;

// cost 17 takes some 20 seconds: htpasswd makes none that takes longer
const DIGEST = /^\$2[aby]\$(?:0[4-9]|1[0-7])\$[./A-Za-z0-9]{53}$/;

/** The first line of a user counts. Throws ConfigurationError with every line that is no account, or when none is. */
export function parsePasswordFile(path: string, text: string): Accounts {
  const lines = text
    .split('\n')
    .map((line, index) => ({ line: line.trim(), place: `${path}:${index + 1}` }))
    .filter(({ line }) => line !== '')
    .map(({ line, place }) => parseLine(line, place));
  const problems = lines.flatMap((line) => ('problem' in line ? [line.problem] : []));
  if (lines.length === 0)
    problems.push(`${path} has no user, so that nobody could use the API; add one: htpasswd -B ${path} USER`);
  if (problems.length > 0) throw new ConfigurationError(problems);
  // of equal names Map keeps the last
  return new Map(lines.toReversed().flatMap((line) => ('account' in line ? [line.account] : [])));
}

type Line = { readonly account: readonly [user: string, digest: string] } | { readonly problem: string };

// says nothing of what the line holds: a password may have been put where the digest belongs
function parseLine(line: string, place: string): Line {
  const [, user = '', digest = ''] = /^([^:]*):?(.*)$/s.exec(line) ?? [];
  if (user === '') return { problem: `${place}: there is no user name before the colon` };
  if (DIGEST.test(digest)) return { account: [user, digest] };
  return {
    problem: `${place}: what follows the user name is no bcrypt digest ($2y$, $2a$ or $2b$, cost 04 to 17); make one with: htpasswd -nB USER`,
  };
}
